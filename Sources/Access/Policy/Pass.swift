public import Readings

/// On what grounds somebody was let in. They may cease to hold while he is there.
public enum Pass: Sendable, Equatable {
    /// Nothing had to be shown.
    case nothing
    /// A token; nil: it never expires.
    case token(until: Timestamp?)
    case key(KeyDigest)

    /// - Parameter credentials: those that the caller was admitted by.
    public init(_ caller: Caller, _ credentials: Credentials) {
        switch caller {
        case .anybody: self = .nothing
        case .user(_, let until): self = .token(until: until)
        case .key: self = .key(KeyDigest(of: credentials.token ?? ""))
        }
    }
}
