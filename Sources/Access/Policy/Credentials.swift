/// What a request shows of who sent it.
public struct Credentials: Sendable, Equatable {
    /// See ``PresentedToken``; nil: none.
    public var token: String?
    /// The value of `Origin` (RFC 6454): the site whose page made a browser send it; nil: no page did.
    public var origin: String?
    /// Host, and port if there is one, that the request was sent to; nil: it doesn't say.
    public var authority: String?

    /// Nothing more is read of the request.
    public init(token: String?, origin: String?, authority: String?) {
        self.token = token
        self.origin = origin
        self.authority = authority
    }

    /// A browser sends it for a page of another site. Browsers let any page open a WebSocket to any
    /// address and post a form to it, also to those that only its user's machine can reach.
    var isFromOtherSite: Bool {
        guard let origin else { return false }
        guard let authority, let separator = origin.firstRange(of: "://") else { return true }
        return Self.plain(origin[separator.upperBound...]) != Self.plain(authority[...])
    }

    /// The host is a name that may belong to anybody: its owner may have pointed it at this machine's
    /// loopback address, and then a page of that name counts as one of ours ("DNS rebinding").
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

    /// Without a port.
    private static func host(_ authority: Substring) -> Substring {
        let authority = authority.lowercased()[...]
        if authority.hasPrefix("[") { return authority }
        return authority.prefix { $0 != ":" }
    }

    /// In lower case, without the port that goes without saying.
    private static func plain(_ authority: Substring) -> String {
        let authority = authority.lowercased()
        for port in [":80", ":443"] where authority.hasSuffix(port) {
            return String(authority.dropLast(port.count))
        }
        return authority
    }
}

extension Credentials: CustomStringConvertible, CustomReflectable {
    /// Whether there is a token, no more.
    public var description: String { "Credentials(\(token == nil ? "no token" : "hidden"))" }
    /// Empty, so that `dump` shows nothing either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
