/// Who has been let in.
public enum Caller: Sendable {
    /// Nobody has to say who he is.
    case anybody
    /// Has a token.
    case user(String)
    /// Has an API key of the right scope; acts for any user.
    case key(KeyAccount)

    /// - Returns: whether that user's data is for this caller. Names are the same byte by byte only.
    public func mayReach(_ user: String) -> Bool {
        switch self {
        case .anybody, .key: true
        case .user(let own): TokenVerifier.same(own, user)
        }
    }

    /// The user that everything this caller brings belongs to; nil where it may act for any.
    public var user: String? {
        if case .user(let name) = self { name } else { nil }
    }
}
