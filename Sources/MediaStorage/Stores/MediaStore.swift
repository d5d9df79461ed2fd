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
