import Crypto
import Dispatch
import NIOCore
import S3
import Synchronization

/// A bucket of archive files, on a server that speaks S3.
///
/// A file is sent in parts of 16 MiB as it is written, so it needs no local disk, and the bucket
/// shows it only when it is complete. It never replaces another one: the last request says
/// `If-None-Match: *`, and what is there is removed before, by whoever may. So a process whose
/// session with the database is lost, and which does not know it yet, can't overwrite the file of
/// the process that works now.
///
/// A bucket has no locks. The lock of `sluice.archive_turn` is enough within one database. The
/// object ``ownerName`` keeps other databases away: it names the one database that may write
/// here, by its cluster and number, and the first run that finds none makes it. A physical
/// copy of a cluster has the same names: like two installations on one directory, it must have a
/// place of its own.
///
/// Memory: a part, and a piece of 8 MiB when a file is read.
struct ArchiveBucket: ArchiveStore {
    /// The object that names the database whose bucket this is.
    static let ownerName = "sluice-archive-owner"
    private static let pieceBytes = 8 << 20

    private let client: S3Client
    private let partBytes: Int

    /// Sends no request yet.
    init(_ bucket: S3Bucket, credentials: S3Credentials?, partBytes: Int = 16 << 20) {
        precondition(partBytes >= S3Upload.partBytesMin, "BUG: partBytes=\(partBytes)")
        client = S3Client(bucket, credentials: credentials)
        self.partBytes = partBytes
    }

    var location: String { client.bucket.location }

    var isShared: Bool { true }

    func demand() throws(ArchiveError) {
        let (client, prefix) = (client, key(of: ""))
        _ = try wait { () async throws(S3Error) in
            try await client.objects(under: prefix, limit: 1)
        }
    }

    /// Also drops uploads that a crash left. Those of apps have other keys.
    func claim(for owner: () throws -> String) throws -> AnyObject? {
        let owner = try owner()
        if try ownerText() == nil {
            let (client, key) = (client, key(of: Self.ownerName))
            do throws(ArchiveError) {
                try wait { () async throws(S3Error) in
                    try await client.put(
                        .bytes(ByteBuffer(string: owner + "\n")), at: key, type: "text/plain",
                        replaces: false)
                }
            } catch .busy {
                // Somebody was faster, or an earlier attempt has succeeded.
            }
        }
        guard try ownerText() == owner else {
            throw ArchiveError.owned(location: location, mark: path(of: Self.ownerName))
        }
        try dropLeftovers()
        return nil
    }

    private func ownerText() throws(ArchiveError) -> String? {
        guard let bytes = try contents(of: Self.ownerName, bytesMax: 1024) else { return nil }
        return String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self)
    }

    private func dropLeftovers() throws(ArchiveError) {
        let (client, prefix) = (client, key(of: ""))
        try wait { () async throws(S3Error) in
            var last: S3Page?
            repeat {
                let page = try await client.uploads(under: prefix, after: last)
                for entry in page.entries
                where Self.isName(entry.key.dropFirst(prefix.count)) {
                    try await client.drop(entry)
                }
                last = page.isTruncated ? page : nil
            } while last != nil
        }
    }

    private static func isName(_ name: Substring) -> Bool {
        !name.contains("/") && ArchiveForm(ofFile: String(name)) != nil
    }

    func path(of name: String) -> String {
        "s3://\(client.bucket.name)/\(client.bucket.prefix)\(name)"
    }

    func names(prefix: String) throws(ArchiveError) -> [String] {
        let (client, root, prefix) = (client, key(of: ""), key(of: prefix))
        let keys = try wait { () async throws(S3Error) in
            var keys: [String] = []
            var isTruncated = true
            while isTruncated {
                let page = try await client.objects(under: prefix, after: keys.last)
                keys += page.entries.map(\.key)
                isTruncated = page.isTruncated && !page.entries.isEmpty
            }
            return keys
        }
        return keys.map { String($0.dropFirst(root.count)) }
    }

    func exists(_ name: String) throws(ArchiveError) -> Bool { try size(of: name) != nil }

    private func size(of name: String) throws(ArchiveError) -> Int? {
        let (client, key) = (client, key(of: name))
        return try wait { () async throws(S3Error) in try await client.head(key)?.bytes }
    }

    private func piece(of name: String, _ range: Range<Int>) throws(ArchiveError) -> ByteBuffer? {
        let (client, key) = (client, key(of: name))
        return try wait { () async throws(S3Error) in try await client.contents(of: key, range) }
    }

    func contents(of name: String, bytesMax: Int) throws(ArchiveError) -> [UInt8]? {
        guard let size = try size(of: name) else { return nil }
        guard size > 0 else { return [] }
        return try piece(of: name, 0..<min(size, bytesMax + 1)).map { Array($0.readableBytesView) }
    }

    func read(_ name: String, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        guard let size = try size(of: name) else {
            throw ArchiveError.damaged(path: path(of: name), .missing)
        }
        for start in stride(from: 0, to: size, by: Self.pieceBytes) {
            let range = start..<min(start + Self.pieceBytes, size)
            guard let piece = try piece(of: name, range) else {
                throw ArchiveError.damaged(path: path(of: name), .missing)
            }
            try piece.withUnsafeReadableBytes(body)
        }
    }

    func begin(_ name: String) throws(ArchiveError) -> any ArchiveDraft {
        try remove(name)
        return ObjectDraft(name, in: self)
    }

    func remove(_ name: String) throws(ArchiveError) {
        let (client, key) = (client, key(of: name))
        try wait { () async throws(S3Error) in try await client.remove(key) }
    }

    func space() -> (bytes: Int, free: Int)? { nil }

    private func key(of name: String) -> String { client.bucket.prefix + name }

    private func wait<Value: Sendable>(
        _ work: @escaping @Sendable () async throws(S3Error) -> Value
    ) throws(ArchiveError) -> Value {
        let done = DispatchSemaphore(value: 0)
        let outcome = Mutex<Result<Value, S3Error>?>(nil)
        Task {
            let result: Result<Value, S3Error>
            do throws(S3Error) {
                result = .success(try await work())
            } catch {
                result = .failure(error)
            }
            outcome.withLock { $0 = result }
            done.signal()
        }
        done.wait()
        switch outcome.withLock({ $0 }) {
        case .success(let value): return value
        case .failure(let error) where error.isPreconditionFailed: throw .busy
        case .failure(let error): throw .bucket(location: location, error)
        case nil: preconditionFailure("BUG: work without an outcome")
        }
    }

    /// A file on its way into the bucket.
    private final class ObjectDraft: ArchiveDraft {
        private let name: String
        private let store: ArchiveBucket
        /// nil until the first part is full.
        private var upload: S3Upload?
        private var buffer = ByteBuffer()
        private var digest = SHA256()
        private var isPublished = false

        init(_ name: String, in store: ArchiveBucket) {
            self.name = name
            self.store = store
        }

        deinit {
            guard !isPublished, let upload else { return }
            // What stays after an error here, the next run drops.
            try? store.wait { () async throws(S3Error) in try await upload.abort() }
        }

        func append(_ bytes: UnsafeRawBufferPointer) throws(ArchiveError) {
            digest.update(bufferPointer: bytes)
            buffer.writeBytes(bytes)
            while buffer.readableBytes >= store.partBytes {
                guard let part = buffer.readSlice(length: store.partBytes) else {
                    preconditionFailure("BUG: part")
                }
                try send(part)
                buffer.discardReadBytes()
            }
        }

        private func send(_ part: ByteBuffer) throws(ArchiveError) {
            let (client, key) = (store.client, store.key(of: name))
            let body = S3Body.bytes(part)
            // Noted before the part is sent, so that it is dropped if that fails.
            if upload == nil {
                upload = try store.wait { () async throws(S3Error) in
                    try await S3Upload.begin(key, client)
                }
            }
            guard let upload else { preconditionFailure("BUG: upload") }
            self.upload = try store.wait { () async throws(S3Error) in
                var next = upload
                try await next.send(body)
                return next
            }
        }

        func publish() throws(ArchiveError) {
            let digest = Array(digest.finalize())
            if upload != nil, buffer.readableBytes > 0 { try send(buffer) }
            let (client, key, upload) = (store.client, store.key(of: name), upload)
            let body = S3Body.bytes(buffer)
            do throws(ArchiveError) {
                try store.wait { () async throws(S3Error) in
                    if let upload {
                        try await upload.complete(replaces: false)
                    } else {
                        try await client.put(body, at: key, replaces: false)
                    }
                }
            } catch .busy {
                // An earlier attempt may have succeeded with its answer lost.
                guard try isStored(digest) else { throw .busy }
            }
            isPublished = true
        }

        private func isStored(_ expected: [UInt8]) throws(ArchiveError) -> Bool {
            var found = SHA256()
            do {
                try store.read(name) { found.update(bufferPointer: $0) }
            } catch let error as ArchiveError {
                throw error
            } catch {
                preconditionFailure("BUG: \(error)")
            }
            return Array(found.finalize()) == expected
        }
    }
}
