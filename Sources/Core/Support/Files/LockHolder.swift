import Glibc

/// A process that has the lock on a file.
public struct LockHolder: Sendable {
    /// nil: it has not written its id yet.
    public let processID: Int32?
}
