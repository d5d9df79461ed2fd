import Foundation
import Glibc

/// Where files of days lie: `gps_20250101.copy.lz4` and, beside it, `gps_20250101.json`.
///
/// A file comes under its name when it is whole and durable, and its manifest after it. A file
/// without a manifest is what a crash left, and is written over.
public struct ArchiveDirectory: Sendable {
    /// Absolute.
    public let path: String

    /// Makes nothing.
    public init(_ path: String) {
        self.path = URL(fileURLWithPath: path).standardizedFileURL.path
    }

    /// It has to be there: one that is made where a disk was to be mounted, or under a name that was
    /// mistyped, is filled beside the place that was meant, and the tables are dropped for it.
    ///
    /// - Throws: ``ArchiveError/notThere(path:)``.
    func demand() throws(ArchiveError) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw .notThere(path: path)
        }
        // It may be new, and tables are dropped for the sake of what comes into it.
        let parent = path.split(separator: "/").dropLast().joined(separator: "/")
        try? Descriptor("/" + parent, O_RDONLY | O_DIRECTORY).sync()
    }

    /// Takes the directory for this process, for as long as the result lives: two installations
    /// that share one by mistake would write over each other's files.
    ///
    /// - Returns: nil where there is no directory, or none that can be locked.
    /// - Throws: ``ArchiveError/busy``.
    func lock() throws(ArchiveError) -> Descriptor? {
        guard access(path, F_OK) == 0 else { return nil }
        let file = try Descriptor(path(of: Self.lockName), O_RDWR | O_CREAT | O_NOFOLLOW)
        return try file.lock() ? file : nil
    }

    static let lockName = ".lock"

    /// What a part's file is called.
    static func fileName(_ partition: DayPartition, part: Int) -> String {
        baseName(partition, part: part) + ".copy.lz4"
    }

    private static func baseName(_ partition: DayPartition, part: Int) -> String {
        partition.name + (part > 1 ? "-\(part)" : "")
    }

    /// Where a file is.
    func path(of file: String) -> String { path + "/" + file }

    private func manifestPath(of file: String) -> String {
        path(of: file.replacing(".copy.lz4", with: ".json"))
    }

    /// A writer for a file that gets its name by ``adopt(_:)``.
    ///
    /// - Throws: ``ArchiveError/foreign(path:)`` when a file of that name has a manifest that is
    ///   another's.
    func begin(_ file: String, id: String) throws(ArchiveError) -> ArchiveWriter {
        try refuseForeign(file, id: id)
        return try ArchiveWriter(part: path(of: file) + ".part")
    }

    /// - Parameter id: whose file it may be; nil: nobody's.
    func refuseForeign(_ file: String, id: String?) throws(ArchiveError) {
        guard access(manifestPath(of: file), F_OK) == 0 else { return }
        guard let id, let manifest = try? manifest(of: file), manifest.id == id else {
            throw .foreign(path: path(of: file))
        }
    }

    /// Removes what a writer that failed has left.
    func discard(_ file: String) {
        unlink(path(of: file) + ".part")
    }

    /// Gives a finished file its name and puts the manifest beside it, durably.
    func adopt(_ manifest: Manifest) throws(ArchiveError) {
        try refuseForeign(manifest.file, id: manifest.id)
        try rename(path(of: manifest.file))
        try sync()
        let path = manifestPath(of: manifest.file)
        do throws(ArchiveError) {
            let file = try Descriptor(path + ".part", O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW)
            let json = manifest.json
            var failure: ArchiveError?
            json.withUnsafeBytes { bytes in
                do throws(ArchiveError) { try file.write(bytes) } catch { failure = error }
            }
            if let failure { throw failure }
            try file.sync()
            try rename(path)
        } catch {
            unlink(path + ".part")
            throw error
        }
        try sync()
    }

    /// - Throws: ``ArchiveError/damaged(path:_:)`` when there is none or it is unreadable.
    func manifest(of file: String) throws(ArchiveError) -> Manifest {
        let path = manifestPath(of: file)
        guard let data = FileManager.default.contents(atPath: path),
            let manifest = Manifest.parse([UInt8](data))
        else { throw .damaged(path: path, .manifest) }
        return manifest
    }

    /// Reads a file and its manifest whole.
    ///
    /// - Returns: the manifest.
    /// - Throws: ``ArchiveError/damaged(path:_:)`` when anything is not as the manifest says.
    func verify(_ file: String, id: String) throws -> Manifest {
        let manifest = try manifest(of: file)
        guard manifest.id == id, manifest.file == file else {
            throw ArchiveError.damaged(path: manifestPath(of: file), .manifestDiffers)
        }
        let found = try ArchiveReader.read(path(of: file))
        if let damage = found.damage(expecting: manifest.facts) {
            throw ArchiveError.damaged(path: path(of: file), damage)
        }
        return manifest
    }

    /// Removes a file and its manifest if they are this part's; the manifest last, so that it can
    /// be done again.
    ///
    /// - Returns: whether they were there.
    @discardableResult
    func remove(_ file: String, id: String) throws(ArchiveError) -> Bool {
        guard let manifest = try? manifest(of: file), manifest.id == id else { return false }
        for path in [path(of: file), manifestPath(of: file)] {
            guard unlink(path) == 0 || errno == ENOENT else {
                throw .disk(operation: "remove", path: path, errno: errno)
            }
        }
        try sync()
        return true
    }

    /// Any day's file is there.
    var hasFiles: Bool {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.contains { $0.hasSuffix(".copy.lz4") }
    }

    /// Neither the file nor its manifest is there.
    func isWithout(_ file: String) -> Bool {
        [path(of: file), manifestPath(of: file)].allSatisfy { (path: String) in
            access(path, F_OK) != 0 && errno == ENOENT
        }
    }

    /// Size of its file system and what is free of it for us; nil when that can't be told.
    func space() -> (bytes: Int, free: Int)? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        let block = Int(clamping: status.f_frsize)
        return (Int(clamping: status.f_blocks) * block, Int(clamping: status.f_bavail) * block)
    }

    private func rename(_ path: String) throws(ArchiveError) {
        guard Glibc.rename(path + ".part", path) == 0 else {
            throw .disk(operation: "rename", path: path, errno: errno)
        }
    }

    private func sync() throws(ArchiveError) {
        try Descriptor(path, O_RDONLY | O_DIRECTORY).sync()
    }
}

/// Files that take another's place.
extension ArchiveDirectory {
    /// `gps_20250101.copy.lz4`, `gps_20250101.2.copy.lz4`, `gps_20250101.3.copy.lz4` …
    static func nextName(after file: String) -> String {
        var words = file.replacing(".copy.lz4", with: "").split(separator: ".").map(String.init)
        let number = words.count > 1 ? Int(words.removeLast()) ?? 1 : 1
        return words.joined(separator: ".") + ".\(number + 1).copy.lz4"
    }

    /// Removes files of a part that its row does not name: a crash left them.
    func removeOthers(of part: ArchivedPart) throws(ArchiveError) {
        let usual = Self.fileName(part.partition, part: part.part)
        let base = usual.prefix { $0 != "." } + "."
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        for name in names
        where name != part.file && name.hasPrefix(base) && name.hasSuffix(".copy.lz4") {
            try remove(name, id: part.id)
        }
    }
}

/// What is known of an archive file; two of one content are equal.
public struct FileFacts: Equatable, Sendable {
    /// Size of the file.
    public var bytes = 0
    /// Size of what it holds.
    public var textBytes = 0
    /// One a line.
    public var rows = 0
    /// Of the file.
    public var sha256: [UInt8] = []

    /// What is wrong with a file of which these facts were found; nil: nothing.
    func damage(expecting expected: FileFacts) -> ArchiveError.Damage? {
        if bytes != expected.bytes { return .size(expected: expected.bytes, found: bytes) }
        if sha256 != expected.sha256 { return .checksum }
        if textBytes != expected.textBytes {
            return .textSize(expected: expected.textBytes, found: textBytes)
        }
        if rows != expected.rows { return .rows(expected: expected.rows, found: rows) }
        return nil
    }

    /// Lines end with the one byte that the text form of COPY uses for nothing else.
    static func lines(in bytes: UnsafeRawBufferPointer) -> Int {
        var count = 0
        for byte in bytes where byte == 0x0A { count += 1 }
        return count
    }
}

/// An open file that closes itself, with the calls that an archive makes.
final class Descriptor {
    private let descriptor: Int32
    let path: String

    init(_ path: String, _ flags: Int32) throws(ArchiveError) {
        let descriptor = open(path, flags | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw .disk(operation: "open", path: path, errno: errno)
        }
        self.descriptor = descriptor
        self.path = path
    }

    deinit { close(descriptor) }

    func write(_ bytes: UnsafeRawBufferPointer) throws(ArchiveError) {
        var done = 0
        while done < bytes.count, let start = bytes.baseAddress {
            let count = Glibc.write(descriptor, start + done, bytes.count - done)
            if count > 0 {
                done += count
            } else if count == 0 || errno != EINTR {
                throw .disk(operation: "write", path: path, errno: count == 0 ? EIO : errno)
            }
        }
    }

    /// - Returns: 0 at the end.
    func read(into bytes: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        while true {
            let count = Glibc.read(descriptor, bytes.baseAddress, bytes.count)
            if count >= 0 { return count }
            guard errno == EINTR else {
                throw .disk(operation: "read", path: path, errno: errno)
            }
        }
    }

    func sync() throws(ArchiveError) {
        guard fsync(descriptor) == 0 else {
            throw .disk(operation: "sync", path: path, errno: errno)
        }
    }

    /// Until it is closed.
    ///
    /// - Returns: false where its file system knows no locks.
    /// - Throws: ``ArchiveError/busy``.
    func lock() throws(ArchiveError) -> Bool {
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
        switch errno {
        case EWOULDBLOCK: throw .busy
        case ENOLCK, ENOSYS, EOPNOTSUPP: return false
        default: throw .disk(operation: "lock", path: path, errno: errno)
        }
    }

    static func text(ofErrno code: Int32) -> String { String(cString: strerror(code)) }
}
