import Files
import Foundation
import Glibc

typealias Descriptor = Files.Descriptor<ArchiveError>

/// A directory of archive files. A file is a `.part` until it is published; a leftover of a crash is
/// overwritten.
struct ArchiveDirectory: ArchiveStore {
    /// Absolute.
    let path: String
    private static let pieceBytes = 256 * 1024

    /// Does not create the directory.
    init(_ path: String) {
        self.path = URL(fileURLWithPath: path).standardizedFileURL.path
    }

    var location: String { path }

    var isShared: Bool { false }

    /// If the directory were created on an unmounted disk's mount point or under a mistyped name,
    /// files would go to the wrong place while tables are dropped.
    ///
    /// - Throws: ``ArchiveError/notThere(path:)``.
    func demand() throws(ArchiveError) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw .notThere(path: path)
        }
        // The directory may be new: its own entry must be durable before tables are dropped.
        NameSync.parent(of: path)
    }

    /// Locks the directory for this process: two installations that share it by mistake would
    /// overwrite each other's files.
    ///
    /// - Returns: nil if there is no directory, or its file system has no locks.
    func claim(for owner: () throws -> String) throws -> AnyObject? {
        if try !exists(".") { return nil }
        let file = try Descriptor(path(of: Self.lockName), O_RDWR | O_CREAT | O_NOFOLLOW)
        do throws(ArchiveError) {
            try file.lock(LOCK_EX | LOCK_NB)
            return file
        } catch .disk(_, _, EWOULDBLOCK) {
            throw ArchiveError.busy
        } catch .disk(_, _, let code) where [ENOLCK, ENOSYS, EOPNOTSUPP].contains(code) {
            return nil
        }
    }

    static let lockName = ".lock"

    func path(of name: String) -> String { path + "/" + name }

    /// A directory that can't be read has none. Directories in it are no files of ours.
    func names(prefix: String) throws(ArchiveError) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).filter {
            $0.hasPrefix(prefix) && !isDirectory($0)
        }
    }

    private func isDirectory(_ name: String) -> Bool {
        var isOne = ObjCBool(false)
        return FileManager.default.fileExists(atPath: path(of: name), isDirectory: &isOne)
            && isOne.boolValue
    }

    func exists(_ name: String) throws(ArchiveError) -> Bool {
        access(path(of: name), F_OK) == 0 || ![ENOENT, ENOTDIR].contains(errno)
    }

    func contents(of name: String, bytesMax: Int) throws(ArchiveError) -> [UInt8]? {
        do throws(ArchiveError) {
            let file = try Descriptor(path(of: name), O_RDONLY)
            let text = UnsafeMutableRawBufferPointer.allocate(
                byteCount: min(Int(try file.status().st_size), bytesMax + 1), alignment: 1)
            defer { text.deallocate() }
            return Array(text[..<(try file.read(into: text))])
        } catch .disk(_, _, ENOENT) {
            return nil
        }
    }

    func read(_ name: String, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        let path = path(of: name)
        guard access(path, F_OK) == 0 || errno != ENOENT else {
            throw ArchiveError.damaged(path: path, .missing)
        }
        let file = try Descriptor(path, O_RDONLY)
        let input = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Self.pieceBytes, alignment: 16)
        defer { input.deallocate() }
        while true {
            let count = try file.read(into: input)
            if count == 0 { return }
            try body(UnsafeRawBufferPointer(rebasing: input[..<count]))
        }
    }

    func begin(_ name: String) throws(ArchiveError) -> any ArchiveDraft {
        FileDraft(try Draft(of: path(of: name), suffix: Archive.draftSuffix), in: path)
    }

    func remove(_ name: String) throws(ArchiveError) {
        let path = path(of: name)
        guard unlink(path) == 0 || errno == ENOENT else {
            throw .disk(operation: "remove", path: path, errno: errno)
        }
        try Self.sync(self.path)
    }

    func space() -> (bytes: Int, free: Int)? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        let block = Int(clamping: status.f_frsize)
        return (Int(clamping: status.f_blocks) * block, Int(clamping: status.f_bavail) * block)
    }

    private static func sync(_ path: String) throws(ArchiveError) {
        try Descriptor(path, O_RDONLY | O_DIRECTORY).sync()
    }

    private final class FileDraft: ArchiveDraft {
        private let draft: Draft<ArchiveError>
        private let directory: String

        init(_ draft: Draft<ArchiveError>, in directory: String) {
            self.draft = draft
            self.directory = directory
        }

        func append(_ bytes: UnsafeRawBufferPointer) throws(ArchiveError) {
            try draft.file.write(bytes)
        }

        func publish() throws(ArchiveError) {
            try draft.publish()
            try ArchiveDirectory.sync(directory)
        }
    }
}
