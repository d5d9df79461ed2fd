import Synchronization

/// The decision about a request.
public enum Admission: Sendable {
    /// The request may proceed.
    case admitted(Caller)
    /// No credentials, or none that are valid: 401. The reason is not disclosed.
    case unauthorized
    /// The caller is known, but the data belongs to another user: 403.
    case forbidden
    /// The key is in force, but not for this: 403.
    case scopeMissing
    /// No credentials are needed, but a web page of another site sent the request: 403.
    case otherSite
    /// Undecided, because the issued keys have not been read yet: 503.
    case unknown
}
