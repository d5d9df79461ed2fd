public import NIOCore

/// Where files' bytes are kept: by content, with no names but digests.
///
/// ## How a file is committed and how it goes again
/// 1. `begin()`, `write(_:)`, `finish()`: the object is in the store, durable, and *young*.
/// 2. The caller commits a row that names it, within ``graceTime``.
/// 3. The sweeper removes objects that are not young and that no row names: it lists the old ones,
///    asks the database which of them are named, and removes the others unless they became young
///    since it listed them.
///
/// A row may name an object only (a) after its own `finish()` or `renew(_:)`, within the grace time,
/// or (b) in a transaction that holds a row which names it already (`for share`). Then no order of
/// events loses a named object: the removal looks at the age last, and the one that makes an object
/// young and the one that removes it exclude each other (a directory: `flock(2)`), or an object is
/// made young only once, when it is made (a bucket: each upload has a name of its own).
public protocol MediaStore: Sendable {
    /// How long an object stays young.
    var graceTime: Duration { get }

    /// Where uploads are written until they are complete, and what a directory keeps.
    var space: FreeSpace { get }

    /// Begins an upload.
    func begin() async throws(MediaStoreError) -> any MediaWriter

    /// Opens an object for reading.
    ///
    /// - Throws: ``MediaStoreError/missing(_:)`` when it is not there.
    func open(_ object: ObjectName) async throws(MediaStoreError) -> any MediaSource

    /// Makes an object young again, so that a row may name it.
    ///
    /// - Returns: false when the object is not there, or can't be renewed: upload it again.
    func renew(_ object: ObjectName) async throws(MediaStoreError) -> Bool

    /// The next objects that are not young, in the order of their names, after `object`.
    ///
    /// - Returns: at most `limit`, and whether there are more to list; the last name of all that
    ///   were looked at is where to go on.
    func oldObjects(after object: ObjectName?, limit: Int) async throws(MediaStoreError)
        -> ObjectPage

    /// Whether an object is there and not young: ``removeOld(_:)`` would remove it now.
    func isOld(_ object: ObjectName) async throws(MediaStoreError) -> Bool

    /// Removes an object unless it became young again.
    ///
    /// - Returns: whether it was removed.
    func removeOld(_ object: ObjectName) async throws(MediaStoreError) -> Bool

    /// Removes what crashed uploads left.
    ///
    /// - Returns: how many.
    func removeLeftovers() async throws(MediaStoreError) -> Int

    /// Ends what the store keeps open. No call may follow.
    func shutdown() async
}

/// Why a store could not do what it was asked.
public enum MediaStoreError: Error, Equatable, Sendable {
    /// The disk, the quota or the bucket is full. Nothing of the upload was kept.
    case full
    /// A file operation failed, with `errno(3)`. Nothing of an upload was kept.
    case disk(operation: String, errno: Int32)
    /// The bucket's server refused, with its own error code (`NoSuchBucket`, `AccessDenied`).
    case refused(status: Int, code: String)
    /// The bucket's server did not answer as it should, however often it was asked.
    case unavailable(attempts: Int)
    /// An object that a row names is not in the store.
    case missing(ObjectName)
    /// The upload was aborted, or failed, before.
    case ended
}

/// A stored object that is open for reading. It reads the same bytes however the store changes.
public protocol MediaSource: AnyObject, Sendable {
    /// The object's length.
    var bytes: Int { get }

    /// A file descriptor that stays open as long as this object lives, where the store has one. Never
    /// read from it by its own position.
    var descriptor: Int32? { get }

    /// The bytes of `range`, in pieces of at most ``MediaStorage/pieceBytesMax``. Any number of
    /// streams may be read at a time.
    ///
    /// - Parameter range: within `0..<bytes`.
    func stream(_ range: Range<Int>) -> MediaStream
}

extension MediaSource {
    /// None: the bytes are elsewhere.
    public var descriptor: Int32? { nil }

    /// All of it in memory, for small files.
    public func contents() async throws -> ByteBuffer {
        var contents = ByteBuffer()
        for try await var piece in stream(0..<bytes) { contents.writeBuffer(&piece) }
        return contents
    }
}

/// A stored object's bytes, piece by piece, read as they are asked for.
public struct MediaStream: AsyncSequence, Sendable {
    /// One piece, never empty.
    public typealias Element = ByteBuffer

    private let makeNext: @Sendable () -> () async throws -> ByteBuffer?

    init(_ makeNext: @escaping @Sendable () -> () async throws -> ByteBuffer?) {
        self.makeNext = makeNext
    }

    /// Begins at the range's first byte.
    public func makeAsyncIterator() -> Iterator { Iterator(pull: makeNext()) }

    /// One pass over the bytes.
    public struct Iterator: AsyncIteratorProtocol {
        let pull: () async throws -> ByteBuffer?

        /// - Throws: ``MediaStoreError``; the bytes that came before it were right.
        public mutating func next() async throws -> ByteBuffer? { try await pull() }
    }
}

/// One upload on its way into a store. Used by one task at a time.
///
/// One that is dropped without `finish()` is aborted; so is one whose process dies, by the sweeper.
public protocol MediaWriter: AnyObject, Sendable {
    /// Bytes that were written.
    var bytes: Int { get }
    /// What the bytes so far are; nil until ``MediaType/contentBytesMax`` of them were written,
    /// unless `finish()` was called.
    var type: MediaType? { get }

    /// Takes a piece of the file. Returns when the operating system has it: a slow disk makes the
    /// caller wait.
    ///
    /// - Throws: the upload is aborted then.
    func write(_ piece: ByteBuffer) async throws(MediaStoreError)

    /// Lends the file to `body` when its last piece was written and before `finish()`: to look at it
    /// as a whole, and to alter it. `body` runs on a thread that may wait for the disk.
    ///
    /// - Throws: what `body` or an earlier write throws; `.ended` after an abort.
    func inspect<Value: Sendable>(
        _ body: @escaping @Sendable (StagedMedia) throws(MediaStoreError) -> Value
    ) async throws(MediaStoreError) -> Value

    /// Makes the file durable under its digest.
    ///
    /// - Throws: then nothing of it was kept, except what the sweeper removes.
    func finish() async throws(MediaStoreError) -> StoredObject

    /// Forgets the upload. May be called at any time, twice too.
    func abort() async
}

extension MediaWriter {
    /// Takes a copy of the piece.
    public func write(_ piece: RawSpan) async throws(MediaStoreError) {
        try await write(piece.withUnsafeBytes { ByteBuffer(bytes: $0) })
    }
}
