import Files
import Glibc
import NIOCore
public import S3

/// A bucket on any server that speaks S3, with Amazon's signature version 4 and path-style
/// addresses. Google's XML API works too.
///
/// ```
/// <prefix>objects/ab/cdef…-0123456789abcdef    digest, and a number that no other upload has
/// ```
/// An upload is staged in a nameless local file until it is complete. Only then are its digest
/// known and the signature with which the server verifies the bytes. So a client that is slow or
/// disconnects costs the bucket nothing, a lost connection to the bucket only means another
/// attempt, and memory is 64 KiB for any file size. A file of up to 16 MiB is sent in one request.
/// A larger one is sent in parts of 16 MiB, or of a 10,000th of the file if there would be more
/// than 10,000 parts.
///
/// A bucket has no lock that a sweep and an upload could share. So no name is written twice: an
/// object is young only once, and when a sweep finds it old and unnamed, no row can name it any
/// more. Equal contents may be uploaded twice; the table's rows name the first of the equal
/// objects, and the sweep removes the other.
public final class S3Store: MediaStore {
    /// Compared with the server's dates, by the server's clock.
    public let graceTime: Duration
    let client: S3Client
    /// Threads for operations that block.
    let disk: DiskThreads
    /// Free space on the staging directory's file system.
    public let space: FreeSpace
    private let staging: Descriptor
    /// Bytes of a part, and of the largest object that is sent in one request.
    let partBytes: Int

    /// Sends no request yet.
    ///
    /// - Parameters:
    ///   - credentials: nil for a server that needs none.
    ///   - stagingDirectory: on a local disk with space for all uploads in progress.
    ///   - partBytes: at least ``S3/S3Upload/partBytesMin``.
    public init(
        _ bucket: S3Bucket, credentials: S3Credentials?, stagingDirectory: String,
        graceTime: Duration = .seconds(21_600), threads: Int = 16, partBytes: Int = 16 << 20
    ) throws(MediaStoreError) {
        precondition(partBytes >= S3Upload.partBytesMin, "BUG: partBytes=\(partBytes)")
        self.graceTime = graceTime
        space = FreeSpace(path: stagingDirectory)
        self.partBytes = partBytes
        client = S3Client(bucket, credentials: credentials)
        staging = try Descriptor(stagingDirectory, O_RDONLY | O_DIRECTORY)
        disk = DiskThreads(count: threads)
    }

    /// Creates a nameless file in the staging directory. The bucket gets its first request when the
    /// upload is complete.
    public func begin() async throws(MediaStoreError) -> any MediaWriter {
        let staging = staging
        let file = try await disk.run { () throws(MediaStoreError) in
            var generator = SystemRandomNumberGenerator()
            let name = ".sluice-\(String(generator.next(), radix: 16))"
            return try UploadFile(namelessIn: staging, name: name)
        }
        return StagedWriter(file, disk: disk) { [self] file async throws(MediaStoreError) in
            try await place(file)
        }
    }

    /// Requests the object's length. Its bytes are requested range by range.
    public func open(_ object: ObjectName) async throws(MediaStoreError) -> any MediaSource {
        guard let head = try await head(object) else { throw .missing(object) }
        return S3Source(object, key: key(object), bytes: head.bytes, client: client)
    }

    /// Whether at least half of the grace time is left. An object in a bucket can't be made
    /// younger.
    public func renew(_ object: ObjectName) async throws(MediaStoreError) -> Bool {
        guard let head = try await head(object) else { return false }
        return head.age < Int(graceTime.components.seconds) / 2
    }

    /// By the object's date and the server's clock.
    public func isOld(_ object: ObjectName) async throws(MediaStoreError) -> Bool {
        guard let head = try await head(object) else { return false }
        return isOld(head.age)
    }

    /// Checks the object's date first.
    public func removeOld(_ object: ObjectName) async throws(MediaStoreError) -> Bool {
        guard try await isOld(object) else { return false }
        try await translated { () async throws(S3Error) in try await client.remove(key(object)) }
        return true
    }

    /// Closes all connections and ends the disk threads.
    public func shutdown() async {
        await client.shutdown()
        await disk.shutdown()
    }

    func key(_ object: ObjectName) -> String {
        "\(client.bucket.prefix)objects/\(object.directory)/\(object.file)"
    }

    func object(key: String) -> ObjectName? {
        let prefix = "\(client.bucket.prefix)objects/"
        guard key.hasPrefix(prefix) else { return nil }
        let parts = key.dropFirst(prefix.count).split(separator: "/")
        guard parts.count == 2, parts[0].utf8.count == 2 else { return nil }
        return ObjectName("\(parts[0])\(parts[1])")
    }

    func isOld(_ age: Int) -> Bool { age > Int(graceTime.components.seconds) }

    /// An object's length and its age in seconds by the server's clock; nil when it does not exist.
    private func head(
        _ object: ObjectName
    ) async throws(MediaStoreError) -> (bytes: Int, age: Int)? {
        try await translated { () async throws(S3Error) in try await client.head(key(object)) }
    }
}

extension S3Store {
    /// One page of the bucket's list without the young objects. A page may be empty and not be the
    /// last.
    public func oldObjects(
        after object: ObjectName?, limit: Int
    ) async throws(MediaStoreError) -> ObjectPage {
        precondition(limit > 0, "BUG: limit=\(limit)")
        let page = try await translated { () async throws(S3Error) in
            try await client.objects(
                under: "\(client.bucket.prefix)objects/", after: object.map(key), limit: limit)
        }
        var found: [ObjectName] = []
        var last: ObjectName?
        for entry in page.entries {
            guard let name = self.object(key: entry.key) else { continue }
            last = name
            if isOld(entry, now: page.now) { found.append(name) }
        }
        return ObjectPage(objects: found, next: page.isTruncated ? last : nil)
    }

    /// Drops unfinished multipart uploads that began before the grace time.
    public func removeLeftovers() async throws(MediaStoreError) -> Int {
        try await translated { () async throws(S3Error) in
            var removed = 0
            var last: S3Page?
            repeat {
                let page = try await client.uploads(
                    under: "\(client.bucket.prefix)objects/", after: last)
                for entry in page.entries where isOld(entry, now: page.now) {
                    try await client.drop(entry)
                    removed += 1
                }
                last = page.isTruncated ? page : nil
            } while last != nil
            return removed
        }
    }

    private func isOld(_ entry: S3Entry, now: Int) -> Bool {
        CalendarDate(entry.date).map { isOld(now - Int($0.unixSeconds)) } ?? false
    }
}
