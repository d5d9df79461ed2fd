import Crypto
import Encodings
import Files
import Foundation
import Glibc
import Imports

/// How far the import of a file has come: a small file in `SLUICE_DATA_DIR/imports`, so that the same
/// command goes on after a crash or a Ctrl-C. It is removed when the import is complete.
///
/// It counts readings, not bytes, because not every form can be read from the middle. Without it, or
/// if it is behind, readings are offered a second time, and found to be stored already.
struct ImportCheckpoint {
    private struct Contents: Codable, Equatable {
        /// Absolute.
        var path: String
        var bytes: Int
        /// Of the last change, in nanoseconds since 1970.
        var changed: Int
        var inode: UInt64
        /// Readings of the file, from its beginning, of which each is stored or in quarantine.
        var done: Int
    }

    private let path: String
    private var contents: Contents

    /// Readings to skip.
    var done: Int { contents.done }

    /// Reads what is there of this file, as it is now.
    ///
    /// - Parameter isFresh: begins at the start, whatever is there.
    init(of file: String, in data: DataDirectory, isFresh: Bool) throws(ImportFault) {
        let file = URL(fileURLWithPath: file).standardizedFileURL.path
        let status = try Descriptor<ImportFault>(file, O_RDONLY).status()
        contents = Contents(
            path: file, bytes: Int(status.st_size),
            changed: status.st_mtim.tv_sec * 1_000_000_000 + status.st_mtim.tv_nsec,
            inode: UInt64(status.st_ino), done: 0)
        let digest = SHA256.hash(data: Data(file.utf8))
        let directory = Self.directory(of: data)
        path = "\(directory)/\(Hexadecimal.text(Array(digest.prefix(12)))).json"
        if !isFresh, let bytes = try? Data(contentsOf: URL(fileURLWithPath: path)),
            var found = try? JSONDecoder().decode(Contents.self, from: bytes)
        {
            let done = found.done
            found.done = 0
            if found == contents { contents.done = done }
        }
        try? FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
    }

    /// Notes durably how far it is.
    mutating func save(done: Int) throws(ImportFault) {
        contents.done = done
        guard let json = try? [UInt8](JSONEncoder().encode(contents)) else {
            preconditionFailure("BUG: a checkpoint that is no JSON")
        }
        let draft = try Draft<ImportFault>(of: path, suffix: ".part")
        try draft.file.write(json.span.bytes)
        try draft.publish()
    }

    /// Removes those of all files, which may name people, and count readings that are to be read
    /// again after an erasure.
    static func removeAll(in data: DataDirectory) {
        try? FileManager.default.removeItem(atPath: directory(of: data))
    }

    private static func directory(of data: DataDirectory) -> String { data.path + "/imports" }

    /// The import is complete.
    func remove() { unlink(path) }
}
