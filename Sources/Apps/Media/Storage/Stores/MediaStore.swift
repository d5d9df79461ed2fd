public import Inspections
public import NIOCore

/// A store of files' bytes, in which each object is named by its digest.
///
/// ## How a file is committed and removed
/// 1. `begin()`, `write(_:)`, `finish()`: the object is in the store, durable, and *young*.
/// 2. The caller commits a row that names it, within ``graceTime``.
/// 3. The sweeper removes objects that are not young and that no row names. It lists the old
///    objects, asks the database which of them are named, and removes the others unless they became
///    young since they were listed.
///
/// A row may name an object only (a) after its own `finish()` or `renew(_:)`, within the grace
/// time, or (b) in a transaction that holds a lock (`for share`) on a row that names it already.
/// Then no sequence of events loses a named object. The removal checks the age last. In a
/// directory, renewing an object and removing it exclude each other (`flock(2)`). In a bucket, an
/// object is young only once, after its upload, because each upload has a name of its own.
public protocol MediaStore: Sendable {
    /// How long an object stays young.
    var graceTime: Duration { get }

    /// Free space where uploads are written until they are complete; in a directory store, also
    /// where objects are stored.
    var space: FreeSpace { get }

    /// Begins an upload.
    func begin() async throws(MediaStoreError) -> any MediaWriter

    /// Opens an object for reading.
    ///
    /// - Throws: ``MediaStoreError/missing(_:)`` when the object does not exist.
    func open(_ object: ObjectName) async throws(MediaStoreError) -> any MediaSource

    /// Makes an object young again, so that a row may name it.
    ///
    /// - Returns: false when the object does not exist or can't be renewed. Then upload it again.
    func renew(_ object: ObjectName) async throws(MediaStoreError) -> Bool

    /// The next objects that are not young, sorted by name, after `object`.
    ///
    /// - Returns: at most `limit` objects, and the name after which the next page begins.
    func oldObjects(after object: ObjectName?, limit: Int) async throws(MediaStoreError)
        -> ObjectPage

    /// Whether an object exists and is not young, so that ``removeOld(_:)`` would remove it now.
    func isOld(_ object: ObjectName) async throws(MediaStoreError) -> Bool

    /// Removes an object, unless it has become young again.
    ///
    /// - Returns: whether it was removed.
    func removeOld(_ object: ObjectName) async throws(MediaStoreError) -> Bool

    /// Removes leftovers of crashed uploads.
    ///
    /// - Returns: how many.
    func removeLeftovers() async throws(MediaStoreError) -> Int

    /// Closes what the store holds open. No call may follow.
    func shutdown() async
}

/// Why a store could not carry out a call.
public enum MediaStoreError: Error, Equatable, Sendable {
    /// The disk, the quota or the bucket is full. Nothing of the upload was kept.
    case full
    /// A file operation failed, with `errno(3)`. Nothing of an upload was kept.
    case disk(operation: String, errno: Int32)
    /// The bucket's server refused the request, with its own error code (`NoSuchBucket`,
    /// `AccessDenied`).
    case refused(status: Int, code: String)
    /// The bucket's server gave no usable answer in this many attempts.
    case unavailable(attempts: Int)
    /// The store has no such object, though a row names it.
    case missing(ObjectName)
    /// The upload was aborted or failed earlier, or the store is shut down.
    case ended
}

/// A stored object that is open for reading. It always reads the same bytes, even if the store
/// changes.
public protocol MediaSource: AnyObject, Sendable {
    /// The object's length in bytes.
    var bytes: Int { get }

    /// A file descriptor that stays open as long as this object lives; nil when the store has no
    /// file. Don't read from it at its own position.
    var descriptor: Int32? { get }

    /// The bytes of `range`, in pieces of at most ``MediaStorage/pieceBytesMax``. Any number of
    /// streams may be read at the same time.
    ///
    /// - Parameter range: within `0..<bytes`.
    func stream(_ range: Range<Int>) -> MediaStream
}

extension MediaSource {
    /// nil: the bytes are not in a local file.
    public var descriptor: Int32? { nil }

    /// The whole content in memory, for small files.
    public func contents() async throws -> ByteBuffer {
        var contents = ByteBuffer()
        for try await var piece in stream(0..<bytes) { contents.writeBuffer(&piece) }
        return contents
    }
}

/// The bytes of a stored object, piece by piece, read on demand.
public struct MediaStream: AsyncSequence, Sendable {
    /// One piece, never empty.
    public typealias Element = ByteBuffer

    private let makeNext: @Sendable () -> () async throws -> ByteBuffer?

    init(_ makeNext: @escaping @Sendable () -> () async throws -> ByteBuffer?) {
        self.makeNext = makeNext
    }

    /// Starts at the first byte of the range.
    public func makeAsyncIterator() -> Iterator { Iterator(pull: makeNext()) }

    /// One pass over the bytes.
    public struct Iterator: AsyncIteratorProtocol {
        let pull: () async throws -> ByteBuffer?

        /// - Throws: ``MediaStoreError``; the bytes returned before it are correct.
        public mutating func next() async throws -> ByteBuffer? { try await pull() }
    }
}

/// One upload into a store. Used by one task at a time.
///
/// A writer that is dropped without `finish()` is aborted. If its process dies, the sweeper removes
/// the upload.
public protocol MediaWriter: AnyObject, Sendable {
    /// Bytes written so far.
    var bytes: Int { get }
    /// The file type, detected from the bytes written so far; nil until
    /// ``MediaType/contentBytesMax`` bytes are written or the upload is complete.
    var type: MediaType? { get }

    /// Writes a piece of the file. Returns when the operating system has it, so that a slow disk
    /// slows the caller down.
    ///
    /// - Throws: after an error the upload is aborted.
    func write(_ piece: ByteBuffer) async throws(MediaStoreError)

    /// Lends the complete file to `body`, after the last write and before `finish()`, to examine it
    /// as a whole and to change it. `body` runs on a thread that may block on the disk.
    ///
    /// - Throws: what `body` throws; ``MediaStoreError/ended`` after an abort or a failed write.
    func inspect<Value: Sendable>(
        _ body: @escaping @Sendable (StagedMedia) throws(MediaStoreError) -> Value
    ) async throws(MediaStoreError) -> Value

    /// Makes the file durable under its digest.
    ///
    /// - Throws: after an error nothing of the file is kept, except what the sweeper removes.
    func finish() async throws(MediaStoreError) -> StoredObject

    /// Drops the upload. May be called at any time and more than once.
    func abort() async
}

extension MediaWriter {
    /// Writes a copy of the piece.
    public func write(_ piece: RawSpan) async throws(MediaStoreError) {
        try await write(piece.withUnsafeBytes { ByteBuffer(bytes: $0) })
    }
}
