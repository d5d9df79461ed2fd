public import Readings
import Synchronization

/// The grounds on which a caller was let in. They may end while the caller is connected.
public enum Pass: Sendable, Equatable {
    /// No credentials were needed.
    case nothing
    /// A token and its expiry; nil: it never expires.
    case token(until: Timestamp?)
    case key(KeyDigest)

    /// - Parameter credentials: those with which the caller was admitted.
    public init(_ caller: Caller, _ credentials: Credentials) {
        switch caller {
        case .anybody: self = .nothing
        case .user(_, let until): self = .token(until: until)
        case .key: self = .key(KeyDigest(of: credentials.token ?? ""))
        }
    }
}
