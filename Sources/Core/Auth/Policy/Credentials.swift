/// The parts of a request that show who sent it.
public struct Credentials: Sendable, Equatable {
    /// The token or key; see ``PresentedToken``; nil: none; empty: something that is neither.
    public var token: String?
    /// The value of `Origin` (RFC 6454): the site whose page made a browser send the request; nil:
    /// no page did.
    public var origin: String?
    /// The host, with a port if there is one, that the request was sent to; nil: unknown.
    public var authority: String?
    /// A proxy has passed the request on and says so. Without this nothing is known: a proxy need
    /// not say so.
    public var isForwarded: Bool

    /// No other part of the request is considered.
    public init(token: String?, origin: String?, authority: String?, isForwarded: Bool = false) {
        self.token = token
        self.origin = origin
        self.authority = authority
        self.isForwarded = isForwarded
    }

    /// Whether a browser sent the request for a page of another site. Browsers let any page open a
    /// WebSocket and post a form to any address, including addresses that only the user's machine
    /// can reach.
    var isFromOtherSite: Bool {
        guard let origin else { return false }
        guard let authority, let separator = origin.firstRange(of: "://") else { return true }
        return Self.plain(origin[separator.upperBound...]) != Self.plain(authority[...])
    }

    /// Whether the host is a name that may belong to anybody. Its owner may have pointed it at this
    /// machine's loopback address, and a page of that name would then count as one of ours ("DNS
    /// rebinding").
    var isForSomeName: Bool {
        guard let authority else { return false }
        let host = Self.host(authority[...])
        return !host.hasPrefix("[") && host != "localhost" && !host.hasSuffix(".localhost")
            && !Self.isAddress(host)
    }

    private static func isAddress(_ host: Substring) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
    }

    /// The host in lower case, without a port; an IPv6 literal stays as it is.
    private static func host(_ authority: Substring) -> Substring {
        let authority = authority.lowercased()[...]
        if authority.hasPrefix("[") { return authority }
        return authority.prefix { $0 != ":" }
    }

    /// In lower case, without port 80 or 443.
    private static func plain(_ authority: Substring) -> String {
        let authority = authority.lowercased()
        for port in [":80", ":443"] where authority.hasSuffix(port) {
            return String(authority.dropLast(port.count))
        }
        return authority
    }
}

extension Credentials: CustomStringConvertible, CustomReflectable {
    /// Only whether there is a token.
    public var description: String { "Credentials(\(token == nil ? "no token" : "hidden"))" }
    /// Empty, so that `dump` shows nothing either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
