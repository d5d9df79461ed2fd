public import Readings
import Synchronization

/// A caller that was let in.
public enum Caller: Sendable {
    /// No credentials were needed.
    case anybody
    /// The user of a token, which is valid until then; nil: for ever.
    case user(String, until: Timestamp?)
    /// An API key of the right scope; it acts for any user unless it is bound to one.
    case key(KeyLimits)

    /// - Returns: whether the caller may use that user's data. Names are compared byte by byte.
    public func mayReach(_ user: String) -> Bool {
        self.user.map { TokenVerifier.same($0, user) } ?? true
    }

    /// The user who owns everything that this caller sends; nil if the caller may act for any user.
    public var user: String? {
        switch self {
        case .anybody: nil
        case .user(let name, _): name
        case .key(let account): account.binding?.user
        }
    }
}
