/// Path and query of a request target (RFC 9112, section 3.2).
struct RequestTarget: Equatable {
    /// Parts between the slashes, percent-decoded. Empty ones at the ends are left out.
    let path: [String]
    let query: String?

    /// - Parameter target: in origin or absolute form. What can't be decoded has no parts.
    init(_ target: String) {
        var rest = target[...]
        if !rest.hasPrefix("/"), let scheme = rest.firstRange(of: "://") {
            rest = rest[scheme.upperBound...].drop { $0 != "/" && $0 != "?" }
        }
        rest = rest.prefix { $0 != "#" }
        if let mark = rest.firstIndex(of: "?") {
            query = String(rest[rest.index(after: mark)...])
            rest = rest[..<mark]
        } else {
            query = nil
        }
        var parts = rest.split(separator: "/", omittingEmptySubsequences: false)[...]
        if parts.first == "" { parts.removeFirst() }
        if parts.last == "" { parts.removeLast() }
        let decoded = parts.map { PathText.decoded($0) }
        path = decoded.contains(nil) ? [] : decoded.compactMap { $0 }
    }
}
