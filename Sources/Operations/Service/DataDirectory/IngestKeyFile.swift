import Access
import Foundation

/// The ingest key that the server makes for itself when none is configured, kept in the data
/// directory so that it is the same at every start.
struct IngestKeyFile {
    let path: String

    /// What ``load()`` found or did.
    enum Origin {
        /// Made now: the one time that it is shown.
        case made
        case read
    }

    /// Reads the key, or makes it when there is no file yet.
    ///
    /// The file has mode 0600 before anything is written to it, and is complete or absent: a crash
    /// in between leaves nothing that could be taken for a key.
    /// - Throws: `.keyFileUnusable` for a file without a key too: a new key in its place would lock
    ///   out every device that has the old one.
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

    /// - Returns: false when another process made the file meanwhile.
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
        // Not rename: it would replace the file of the other process.
        if link(temporary, path) == 0 { return true }
        guard errno == EEXIST else { throw .keyFileUnusable(path: path) }
        return false
    }
}
