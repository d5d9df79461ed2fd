import Access
import Foundation

/// The ingest key that the server generates if none is configured. It is kept in the data
/// directory, so that every start uses the same one.
struct IngestKeyFile {
    let path: String

    /// The origin of the key.
    enum Origin {
        /// Generated now: the only time that it is shown.
        case made
        case read
    }

    /// Reads the key, or generates it if there is no file yet.
    ///
    /// The file has mode 0600 before anything is written to it. After a crash it is complete or
    /// absent, never part of a key.
    /// - Throws: `.keyFileUnusable` also for a file without a key: replacing the key would lock out
    ///   every device that has the old one.
    func load() throws(StartFailure) -> (key: Secret, origin: Origin) {
        if access(path, F_OK) == 0 {
            guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
                throw .keyFileUnusable(path: path)
            }
            let key = text.trimmingCharacters(in: .whitespacesAndNewlines)
            guard !key.isEmpty, !key.contains(","), (try? ConfiguredKeys(key)) != nil else {
                throw .keyFileUnusable(path: path)
            }
            return (Secret(key), .read)
        }
        guard let key = try? APIKey.make() else { throw .noRandomness }
        return try write(key.revealed()) ? (Secret(key.revealed()), .made) : load()
    }

    /// - Returns: false if another process created the file meanwhile.
    private func write(_ key: String) throws(StartFailure) -> Bool {
        let temporary = "\(path).\(getpid())"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .keyFileUnusable(path: path) }
        defer { unlink(temporary) }
        let text = key + "\n"
        let written = text.withCString { Glibc.write(descriptor, $0, text.utf8.count) }
        let isSafe = written == text.utf8.count && fsync(descriptor) == 0
        close(descriptor)
        guard isSafe else { throw .keyFileUnusable(path: path) }
        // Not rename, which would replace the other process's file.
        if link(temporary, path) == 0 { return true }
        guard errno == EEXIST else { throw .keyFileUnusable(path: path) }
        return false
    }
}
