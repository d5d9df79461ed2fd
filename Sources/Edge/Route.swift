/// Which of the known paths a request asks for; also the `route` label of the metrics.
enum Route: String, CaseIterable, Sendable {
    case ingest = "/ingest"
    case root = "/"
    case health = "/health"
    case metrics = "/metrics"
    case other

    /// A query is ignored, and so is one slash at the end: clients put URLs together carelessly,
    /// and a redirect would make many of them repeat the request without its body.
    ///
    /// - Parameter uri: the request target, in origin or absolute form (RFC 9112, section 3.2).
    init(uri: String) {
        if uri == "/ingest" {
            self = .ingest
            return
        }
        var path = uri[...]
        if !path.utf8.starts(with: "/".utf8) {
            guard let authority = Self.authority(in: path) else {
                self = .other
                return
            }
            path = path[authority.endIndex...]
        }
        let query = path.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
        if let query { path = path[..<query] }
        if path.utf8.count > 1, path.utf8.last == UInt8(ascii: "/") { path = path.dropLast() }
        switch path {
        case "/ingest": self = .ingest
        case "/", "": self = .root
        case "/health": self = .health
        case "/metrics": self = .metrics
        default: self = .other
        }
    }

    private static func authority(in target: Substring) -> Substring? {
        for scheme in ["http://", "https://"] where target.lowercased().hasPrefix(scheme) {
            return target.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" }
        }
        return nil
    }

    /// Methods of a path, as a 405 tells them; nil where the path itself is unknown.
    var allowed: String? {
        switch self {
        case .ingest: "POST"
        case .root, .health, .metrics: "GET, HEAD"
        case .other: nil
        }
    }
}
