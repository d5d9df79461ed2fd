import Files
import Foundation
import Glibc

typealias Descriptor = Files.Descriptor<ArchiveError>

/// The directory of archive files: `gps_20250101.csv.zst` and, beside it, `gps_20250101.json`.
///
/// A file gets its name when it is complete and durable, its manifest after that. A file without a
/// manifest is a crash's leftover and is overwritten.
public struct ArchiveDirectory: Sendable {
    /// Absolute.
    public let path: String

    /// Does not create the directory.
    public init(_ path: String) {
        self.path = URL(fileURLWithPath: path).standardizedFileURL.path
    }

    /// Requires that the directory exists. If it were created on an unmounted disk's mount point or
    /// under a mistyped name, files would go to the wrong place while tables are dropped.
    ///
    /// - Throws: ``ArchiveError/notThere(path:)``.
    func demand() throws(ArchiveError) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw .notThere(path: path)
        }
        // The directory may be new: its own entry must be durable before tables are dropped.
        let parent = path.split(separator: "/").dropLast().joined(separator: "/")
        try? Descriptor("/" + parent, O_RDONLY | O_DIRECTORY).sync()
    }

    /// Locks the directory for this process until the result is released: two installations that
    /// share it by mistake would overwrite each other's files.
    ///
    /// - Returns: nil if there is no directory, or its file system has no locks.
    /// - Throws: ``ArchiveError/busy``.
    func lock() throws(ArchiveError) -> Descriptor? {
        if Self.isAbsent(path) { return nil }
        let file = try Descriptor(path(of: Self.lockName), O_RDWR | O_CREAT | O_NOFOLLOW)
        do throws(ArchiveError) {
            try file.lock(LOCK_EX | LOCK_NB)
            return file
        } catch .disk(_, _, EWOULDBLOCK) {
            throw .busy
        } catch .disk(_, _, let code) where [ENOLCK, ENOSYS, EOPNOTSUPP].contains(code) {
            return nil
        }
    }

    static let lockName = ".lock"

    /// The file name of a part.
    static func fileName(_ partition: DayPartition, part: Int) -> String {
        baseName(partition, part: part) + ArchiveForm.csvZstd.rawValue
    }

    private static func baseName(_ partition: DayPartition, part: Int) -> String {
        partition.name + (part > 1 ? "-\(part)" : "")
    }

    /// - Parameter file: one that was verified, or just named.
    static func form(of file: String) -> ArchiveForm {
        guard let form = ArchiveForm(ofFile: file) else {
            preconditionFailure("BUG: not the name of an archive file")
        }
        return form
    }

    /// The path of a file.
    func path(of file: String) -> String { path + "/" + file }

    private func manifestPath(of file: String) -> String {
        path(of: ArchiveForm.baseName(of: file) + ".json")
    }

    /// A writer for a file; ``adopt(_:_:)`` gives the file its name.
    ///
    /// - Throws: ``ArchiveError/foreign(path:)`` if a file of that name has another part's
    ///   manifest.
    func begin(_ file: String, id: String) throws(ArchiveError) -> ArchiveWriter {
        try refuseForeign(file, id: id)
        return try ArchiveWriter(path(of: file), Self.form(of: file))
    }

    /// - Parameter id: the part that may own the file; nil: none.
    func refuseForeign(_ file: String, id: String?) throws(ArchiveError) {
        guard let owner = try owner(of: file) else { return }
        guard let id, owner == id else { throw .foreign(path: path(of: file)) }
    }

    /// The part that a file's manifest names; blank if the manifest is invalid; nil if there is
    /// none. A manifest that can't be read now says nothing.
    private func owner(of file: String) throws(ArchiveError) -> String? {
        if Self.isAbsent(manifestPath(of: file)) { return nil }
        do throws(ArchiveError) {
            return try manifest(of: file).id
        } catch .damaged {
            return ""
        }
    }

    /// Only if that is certain: what can't be looked at may exist.
    private static func isAbsent(_ path: String) -> Bool {
        access(path, F_OK) != 0 && [ENOENT, ENOTDIR].contains(errno)
    }

    /// Publishes a finished file and its manifest, durably.
    func adopt(_ writer: ArchiveWriter, _ manifest: Manifest) throws(ArchiveError) {
        try refuseForeign(manifest.file, id: manifest.id)
        try writer.draft.publish()
        try sync()
        let draft = try Draft<ArchiveError>(of: manifestPath(of: manifest.file), suffix: ".part")
        let json = manifest.json
        try draft.file.write(json.span.bytes)
        try draft.publish()
        try sync()
    }

    /// - Throws: ``ArchiveError/damaged(path:_:)`` if the manifest is missing or invalid;
    ///   ``ArchiveError/disk(operation:path:errno:)`` if it can't be read, which may pass.
    func manifest(of file: String) throws(ArchiveError) -> Manifest {
        let path = manifestPath(of: file)
        let bytes: [UInt8]
        do throws(ArchiveError) {
            let file = try Descriptor(path, O_RDONLY)
            let size = Int(try file.status().st_size)
            guard size <= Self.manifestBytesMax else { throw .damaged(path: path, .manifest) }
            let text = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 1)
            defer { text.deallocate() }
            bytes = Array(text[..<(try file.read(into: text))])
        } catch .disk(_, _, ENOENT) {
            throw .damaged(path: path, .manifest)
        }
        if let format = Manifest.format(of: bytes), format > Manifest.newest {
            throw .newer(path: path, format: format)
        }
        guard let manifest = Manifest.parse(bytes) else { throw .damaged(path: path, .manifest) }
        return manifest
    }

    /// A manifest has some hundred bytes.
    private static let manifestBytesMax = 1 << 20

    /// Reads and checks a whole file and its manifest.
    ///
    /// - Returns: the manifest.
    /// - Throws: ``ArchiveError/damaged(path:_:)`` if anything differs from the manifest.
    func verify(_ file: String, id: String) throws -> Manifest {
        let manifest = try manifest(of: file)
        guard manifest.id == id, manifest.file == file, let form = ArchiveForm(ofFile: file) else {
            throw ArchiveError.damaged(path: manifestPath(of: file), .manifestDiffers)
        }
        let found = try ArchiveReader.read(path(of: file), form)
        if let damage = found.damage(expecting: manifest.facts) {
            throw ArchiveError.damaged(path: path(of: file), damage)
        }
        return manifest
    }

    /// Removes a file and its manifest if they belong to this part. The manifest is last, so that
    /// the removal can be repeated.
    ///
    /// - Returns: whether they belonged to the part.
    @discardableResult
    func remove(_ file: String, id: String) throws(ArchiveError) -> Bool {
        guard try owner(of: file) == id else { return false }
        for path in [path(of: file), manifestPath(of: file)] {
            guard unlink(path) == 0 || errno == ENOENT else {
                throw .disk(operation: "remove", path: path, errno: errno)
            }
        }
        try sync()
        return true
    }

    /// Whether the directory has any archive file.
    var hasFiles: Bool {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.contains { ArchiveForm(ofFile: $0) != nil }
    }

    /// Whether neither the file nor its manifest exists.
    func isWithout(_ file: String) -> Bool {
        [path(of: file), manifestPath(of: file)].allSatisfy(Self.isAbsent)
    }

    /// Size and free bytes of the file system; nil if it can't be queried.
    func space() -> (bytes: Int, free: Int)? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        let block = Int(clamping: status.f_frsize)
        return (Int(clamping: status.f_blocks) * block, Int(clamping: status.f_bavail) * block)
    }

    private func sync() throws(ArchiveError) {
        try Descriptor(path, O_RDONLY | O_DIRECTORY).sync()
    }
}

/// Files that replace another one.
extension ArchiveDirectory {
    /// `gps_20250101.csv.zst`, `gps_20250101.2.csv.zst`, `gps_20250101.3.csv.zst` …
    static func nextName(after file: String) -> String {
        var words = ArchiveForm.baseName(of: file).split(separator: ".").map(String.init)
        let number = words.count > 1 ? Int(words.removeLast()) ?? 1 : 1
        return words.joined(separator: ".") + ".\(number + 1)" + form(of: file).ofSuccessor.rawValue
    }

    /// Removes files of a part that its row does not name: leftovers of a crash.
    func removeOthers(of part: ArchivedPart) throws(ArchiveError) {
        let usual = Self.fileName(part.partition, part: part.part)
        let base = usual.prefix { $0 != "." } + "."
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        for name in names
        where name != part.file && name.hasPrefix(base) && ArchiveForm(ofFile: name) != nil {
            if let file = part.file, manifestPath(of: file) == manifestPath(of: name) {
                // An older version wrote the part in another form, before a crash. The manifest is
                // that of the part's file.
                guard try owner(of: name) == part.id else { continue }
                guard unlink(path(of: name)) == 0 || errno == ENOENT else {
                    throw .disk(operation: "remove", path: path(of: name), errno: errno)
                }
            } else {
                try remove(name, id: part.id)
            }
        }
    }
}
