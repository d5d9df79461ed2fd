import NIOCore

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
