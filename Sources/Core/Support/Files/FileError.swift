import Glibc

/// An error that a module throws for a failed file operation. The conformance is the one place
/// where the module translates it.
public protocol FileError: Error {
    /// The error for a failed operation.
    init(_ failure: FileFailure)
}
