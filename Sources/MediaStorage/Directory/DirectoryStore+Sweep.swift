import Glibc

extension DirectoryStore {
    /// Files of `incoming/` whose upload may not have its lock yet are let alone this long.
    private static let lockGraceSeconds = 60

    /// By the file's date, which no removal can overlook any more.
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
            // Its own upload may have been cut off between the rename and the sync.
            if isThere { try directory.sync() }
            return isThere
        }
    }

    /// Directory by directory; files that are no objects are passed over.
    public func oldObjects(
        after object: ObjectName?, limit: Int
    ) async throws(MediaStoreError) -> ObjectPage {
        precondition(limit > 0, "BUG: limit=\(limit)")
        return try await disk.run { () throws(MediaStoreError) in
            var found: [ObjectName] = []
            let first = object.flatMap { Int($0.directory, radix: 16) } ?? 0
            for number in first..<256 {
                let directoryName = Hexadecimal.text([UInt8(number)])
                let directory = try Descriptor(
                    opening: directoryName, in: self.objects, O_RDONLY | O_DIRECTORY, "open")
                let names = try directory.names().compactMap { ObjectName(directoryName + $0) }
                for name in names.sorted() where object.map({ $0 < name }) ?? true {
                    guard try self.isOld(name.file, in: directory) else { continue }
                    found.append(name)
                    if found.count == limit { return ObjectPage(objects: found, next: name) }
                }
            }
            return ObjectPage(objects: found, next: nil)
        }
    }

    /// Without a lock: an upload of the same bytes may make it young at any moment.
    public func isOld(_ object: ObjectName) async throws(MediaStoreError) -> Bool {
        try await disk.run { () throws(MediaStoreError) in
            try self.isOld(object.file, in: self.directory(of: object))
        }
    }

    /// Looks at the date once more, under the lock that keeps uploads out.
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

    /// Files of `incoming/` that nobody has locked for a minute and more.
    public func removeLeftovers() async throws(MediaStoreError) -> Int {
        try await disk.run { () throws(MediaStoreError) in
            var removed = 0
            for name in try self.incoming.names() {
                guard try self.age(name, in: self.incoming) > Self.lockGraceSeconds,
                    let file = try? Descriptor(
                        opening: name, in: self.incoming, O_RDONLY, "open"),
                    flock(file.number, LOCK_EX | LOCK_NB) == 0
                else { continue }
                if unlinkat(self.incoming.number, name, 0) == 0 { removed += 1 }
            }
            return removed
        }
    }

    private func isOld(_ name: String, in directory: Descriptor) throws(MediaStoreError) -> Bool {
        try age(name, in: directory) > Int(graceTime.components.seconds)
    }

    /// Seconds since a file was dated; 0 for one that is gone.
    private func age(_ name: String, in directory: Descriptor) throws(MediaStoreError) -> Int {
        var status = stat()
        guard fstatat(directory.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            if errno == ENOENT { return 0 }
            throw MediaStoreError(errno: errno, "stat")
        }
        return time(nil) - status.st_mtim.tv_sec
    }
}
