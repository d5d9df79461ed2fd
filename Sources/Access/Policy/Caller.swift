public import Readings

/// Who has been let in.
public enum Caller: Sendable {
    /// Nobody has to say who he is.
    case anybody
    /// Has a token that is good until then; nil: for ever.
    case user(String, until: Timestamp?)
    /// Has an API key of the right scope; acts for any user.
    case key(KeyAccount)

    /// - Returns: whether that user's data is for this caller. Names are the same byte by byte only.
    public func mayReach(_ user: String) -> Bool {
        switch self {
        case .anybody, .key: true
        case .user(let own, _): TokenVerifier.same(own, user)
        }
    }

    /// The user that everything this caller brings belongs to; nil where it may act for any.
    public var user: String? {
        if case .user(let name, _) = self { name } else { nil }
    }
}
