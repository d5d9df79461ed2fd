import HTTPTypes

/// Which of the known paths a request asks for; also the `route` label of the metrics.
enum Route: String, CaseIterable, Sendable {
    case ingest = "/ingest"
    case root = "/"
    case health = "/health"
    case metrics = "/metrics"
    case openAPI = "/openapi.json"
    case docs = "/docs"
    case upload = "/upload"
    case media = "/media"
    case memories = "/memories"
    case initUser = "/init-user"
    case profile = "/user/profile"
    case contacts = "/user/contacts"
    /// Below a path of memory captures, but none of them.
    case otherCaptures = "other captures"
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
        case "/openapi.json": self = .openAPI
        case "/docs": self = .docs
        default:
            // The first one is what stands before the first slash: nothing.
            let parts = path.split(
                separator: "/", maxSplits: 4, omittingEmptySubsequences: false
            ).dropFirst()
            self = Self.ofCaptures(Array(parts)) ?? .other
        }
    }

    private static func ofCaptures(_ parts: [Substring]) -> Route? {
        guard let first = parts.first else { return nil }
        let isFilled = !parts.contains("")
        switch (first, parts.count) {
        case ("upload", 2) where isFilled: return .upload
        case ("media", 2...) where isFilled: return .media
        case ("memories", 3) where isFilled: return .memories
        case ("init-user", 2) where isFilled: return .initUser
        case ("user", 3) where isFilled && parts[2] == "profile": return .profile
        case ("user", 3) where isFilled && parts[2] == "contacts": return .contacts
        case ("upload", _), ("media", _), ("memories", _), ("init-user", _), ("user", _):
            return .otherCaptures
        default: return nil
        }
    }

    private static func authority(in target: Substring) -> Substring? {
        for scheme in ["http://", "https://"] where target.lowercased().hasPrefix(scheme) {
            return target.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" }
        }
        return nil
    }

    /// Methods of a path; none where the path itself is unknown.
    var methods: [HTTPRequest.Method] {
        switch self {
        case .ingest, .upload, .initUser: [.post]
        case .root, .health, .metrics, .openAPI, .docs, .media, .memories, .profile, .contacts:
            [.get, .head]
        case .otherCaptures, .other: []
        }
    }

    /// How errors of this path are told.
    var envelope: ErrorEnvelope {
        switch self {
        case .ingest, .root, .health, .metrics, .openAPI, .docs, .other: .detail
        case .upload: .upload
        case .media, .memories, .initUser, .profile, .contacts, .otherCaptures: .captures
        }
    }
}
