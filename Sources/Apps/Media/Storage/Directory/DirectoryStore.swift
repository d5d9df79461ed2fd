import Encodings
import Files
import Glibc

/// A store in a directory: on a local file system, or on one that several hosts share and that
/// supports `flock(2)` and `rename(2)`.
///
/// ```
/// objects/ab/cdef…    the content with the digest abcdef…; a file that exists is complete
/// incoming/…          uploads in progress, each locked
/// ```
/// An upload is written to `incoming/`, synced, dated now, and renamed to its digest. If the same
/// content exists already, the new file replaces it, so the younger date counts. Then the directory
/// is synced.
///
/// The age of an object is the age of its file's modification date. Dating a file takes a shared
/// lock on its directory; removing one takes an exclusive lock. Both hold the lock from the check
/// to the change. So a removal either sees an old file that nobody is renewing, or a young file,
/// which it leaves.
public final class DirectoryStore: MediaStore {
    /// Compared with the dates of files, by this host's clock.
    public let graceTime: Duration
    let objects: Descriptor
    let incoming: Descriptor
    /// Threads for operations that block.
    let disk: DiskThreads
    /// Free space on the directory's file system.
    public let space: FreeSpace

    /// Creates the directory and its subdirectories if they are missing, accessible only to the
    /// process's user.
    ///
    /// - Parameters:
    ///   - path: an absolute path; its parent must exist.
    ///   - threads: the number of threads for disk operations.
    public init(
        path: String, graceTime: Duration = .seconds(21_600), threads: Int = 16
    ) throws(MediaStoreError) {
        self.graceTime = graceTime
        space = FreeSpace(path: path)
        try Self.makeDirectory(AT_FDCWD, path)
        let root = try Descriptor(path, O_RDONLY | O_DIRECTORY)
        try Self.makeDirectory(root.number, "objects")
        try Self.makeDirectory(root.number, "incoming")
        objects = try Descriptor("objects", in: root, O_RDONLY | O_DIRECTORY)
        incoming = try Descriptor("incoming", in: root, O_RDONLY | O_DIRECTORY)
        for number in 0..<256 {
            try Self.makeDirectory(objects.number, Hexadecimal.text([UInt8(number)]))
        }
        try objects.sync()
        try root.sync()
        // Also of a directory that was there: a process may have been killed after it had made it.
        NameSync.parent(of: path)
        disk = DiskThreads(count: threads)
    }

    /// Creates the upload's file in `incoming/`.
    public func begin() async throws(MediaStoreError) -> any MediaWriter {
        let incoming = incoming
        let file = try await disk.run { () throws(MediaStoreError) in
            try UploadFile(in: incoming, name: Self.freshName())
        }
        return StagedWriter(file, disk: disk) { [self] file async throws(MediaStoreError) in
            try await disk.run { () throws(MediaStoreError) in
                try file.descriptor.sync()
                let name = ObjectName(try file.digest())
                try self.place(file, as: name)
                return name
            }
        }
    }

    /// Opens the file. It stays readable when its name is removed. Links and special files are not
    /// the store's, so an object in whose place there is one is missing.
    public func open(_ object: ObjectName) async throws(MediaStoreError) -> any MediaSource {
        let disk = disk
        return try await disk.run { [self] () throws(MediaStoreError) in
            do throws(MediaStoreError) {
                // A FIFO would block without the last flag.
                let file = try Descriptor(
                    object.file, in: directory(of: object), O_RDONLY | O_NONBLOCK)
                let status = try file.status()
                guard status.st_mode & S_IFMT == S_IFREG else { throw .missing(object) }
                return FileSource(file, bytes: Int(status.st_size), disk: disk)
            } catch .disk(_, ENOENT), .disk(_, ELOOP), .disk(_, ENOTDIR), .disk(_, ENXIO) {
                throw .missing(object)
            }
        }
    }

    /// Ends the disk threads. Calls that are waiting for a thread fail.
    public func shutdown() async { await disk.shutdown() }

    /// Renames a complete and synced upload to its digest.
    func place(_ file: UploadFile, as object: ObjectName) throws(MediaStoreError) {
        let directory = try self.directory(of: object)
        try directory.locked(LOCK_SH) { () throws(MediaStoreError) in
            try file.date()
            try check(
                renameat(incoming.number, file.name, directory.number, object.file), "rename")
            file.keep()
        }
        try directory.sync()
    }

    func directory(of object: ObjectName) throws(MediaStoreError) -> Descriptor {
        try Descriptor(object.directory, in: objects, O_RDONLY | O_DIRECTORY)
    }

    private static func freshName() -> String {
        var generator = SystemRandomNumberGenerator()
        let number = (generator.next(), generator.next())
        return withUnsafeBytes(of: number) { Hexadecimal.text(Array($0)) }
    }

    private static func makeDirectory(
        _ parent: Int32, _ name: String
    ) throws(MediaStoreError) {
        guard mkdirat(parent, name, 0o700) == 0 || errno == EEXIST else {
            throw MediaStoreError(errno: errno, "mkdir")
        }
    }
}

extension DirectoryStore {
    /// A file in `incoming/` younger than this is left alone, because its upload may not have
    /// locked it yet.
    private static let lockGraceSeconds = 60

    /// Dates the file now, under the shared lock that excludes removals.
    public func renew(_ object: ObjectName) async throws(MediaStoreError) -> Bool {
        try await disk.run { () throws(MediaStoreError) in
            let directory = try self.directory(of: object)
            let isThere = try directory.locked(LOCK_SH) { () throws(MediaStoreError) in
                if utimensat(directory.number, object.file, nil, AT_SYMLINK_NOFOLLOW) == 0 {
                    return true
                }
                guard errno == ENOENT else { throw MediaStoreError(errno: errno, "utimensat") }
                return false
            }
            // A crash may have stopped its upload between the rename and the sync.
            if isThere { try directory.sync() }
            return isThere
        }
    }

    /// Walks directory by directory. Files that are not objects are skipped.
    public func oldObjects(
        after object: ObjectName?, limit: Int
    ) async throws(MediaStoreError) -> ObjectPage {
        precondition(limit > 0, "BUG: limit=\(limit)")
        return try await disk.run { () throws(MediaStoreError) in
            var page = ObjectPage(objects: [], next: nil)
            let first = object.flatMap { Int($0.directory, radix: 16) } ?? 0
            for number in first..<256 {
                let directoryName = Hexadecimal.text([UInt8(number)])
                do throws(MediaStoreError) {
                    let directory = try Descriptor(
                        directoryName, in: self.objects, O_RDONLY | O_DIRECTORY)
                    let names = try directory.names().compactMap { ObjectName(directoryName + $0) }
                    for name in names.sorted() where object.map({ $0 < name }) ?? true {
                        do throws(MediaStoreError) {
                            guard try self.isOld(name.file, in: directory) else { continue }
                        } catch {
                            page.failures.append(.init(item: name.text, error: error))
                            continue
                        }
                        page.objects.append(name)
                        guard page.objects.count < limit else {
                            page.next = name
                            return page
                        }
                    }
                } catch {
                    page.failures.append(.init(item: "objects/" + directoryName, error: error))
                }
            }
            return page
        }
    }

    /// Takes no lock, so an upload of the same bytes may make the object young at any moment.
    public func isOld(_ object: ObjectName) async throws(MediaStoreError) -> Bool {
        try await disk.run { () throws(MediaStoreError) in
            try self.isOld(object.file, in: self.directory(of: object))
        }
    }

    /// Checks the date once more, under the exclusive lock that excludes uploads.
    public func removeOld(_ object: ObjectName) async throws(MediaStoreError) -> Bool {
        try await disk.run { () throws(MediaStoreError) in
            let directory = try self.directory(of: object)
            return try directory.locked(LOCK_EX) { () throws(MediaStoreError) in
                guard try self.isOld(object.file, in: directory) else { return false }
                try check(unlinkat(directory.number, object.file, 0), "unlink")
                return true
            }
        }
    }

    /// Removes files in `incoming/` that are unlocked and were last written more than a minute ago.
    public func removeLeftovers() async throws(MediaStoreError) -> Int {
        try await disk.run { () throws(MediaStoreError) in
            var removed = 0
            var failure: MediaStoreError?
            for name in try self.incoming.names() {
                let age: Int
                do throws(MediaStoreError) {
                    age = try self.age(name, in: self.incoming)
                } catch {
                    failure = error
                    continue
                }
                guard age > Self.lockGraceSeconds,
                    let file = try? Descriptor(name, in: self.incoming, O_RDONLY),
                    flock(file.number, LOCK_EX | LOCK_NB) == 0
                else { continue }
                if unlinkat(self.incoming.number, name, 0) == 0 {
                    removed += 1
                } else {
                    failure = MediaStoreError(errno: errno, "unlink")
                }
            }
            if let failure { throw failure }
            return removed
        }
    }

    private func isOld(_ name: String, in directory: Descriptor) throws(MediaStoreError) -> Bool {
        try age(name, in: directory) > Int(graceTime.components.seconds)
    }

    /// Seconds since a file was dated; 0 when the file does not exist.
    private func age(_ name: String, in directory: Descriptor) throws(MediaStoreError) -> Int {
        var status = stat()
        guard fstatat(directory.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            if errno == ENOENT { return 0 }
            throw MediaStoreError(errno: errno, "stat")
        }
        return time(nil) - status.st_mtim.tv_sec
    }
}
