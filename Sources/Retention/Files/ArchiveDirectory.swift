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
