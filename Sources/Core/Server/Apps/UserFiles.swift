public import Erasure

/// The files of users that an app keeps outside the database, for `sluice forget` and
/// `sluice export --user`.
public protocol UserFiles: AnyObject {
    /// Whether ``remove(_:)`` would remove it.
    func isOld(_ object: ErasedObject) throws -> Bool

    /// Removes a file that a row of the user named.
    ///
    /// - Returns: false for a file that is too new.
    func remove(_ object: ErasedObject) throws -> Bool

    /// Copies a file's content to a new file at `path`, which only this user may read.
    ///
    /// - Returns: false if the content is missing.
    func copy(_ object: ErasedObject, to path: String) throws -> Bool

    /// No other function may be called afterwards.
    func close()
}
