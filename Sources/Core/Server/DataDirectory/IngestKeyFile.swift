import Auth
import Files
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
        let key = APIKey.make()
        return try write(key.revealed()) ? (Secret(key.revealed()), .made) : load()
    }

    /// - Returns: false if another process created the file meanwhile.
    private func write(_ key: String) throws(StartFailure) -> Bool {
        do throws(FileFailure) {
            let draft = try Draft<FileFailure>(of: path, suffix: ".\(getpid())", isLocked: true)
            let text = [UInt8]((key + "\n").utf8)
            try draft.file.write(text.span.bytes)
            return try draft.publish(replacing: false)
        } catch {
            throw .keyFileUnusable(path: path)
        }
    }
}
