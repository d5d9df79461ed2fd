import HTTPTypes

/// The known path of a request; also the `route` label of the metrics.
enum Route: String, CaseIterable, Sendable {
    case ingest = "/ingest"
    case root = "/"
    case health = "/health"
    case metrics = "/metrics"
    case openAPI = "/openapi.json"
    case docs = "/docs"
    case status = "/status"
    /// Files that the page loads.
    case statusPage = "/status/page/{file}"
    case statusSession = "/status/session"
    case statusEvents = "/status/events"
    case statusPositions = "/status/positions"
    case upload = "/upload"
    case media = "/media"
    case memories = "/memories"
    case initUser = "/init-user"
    case profile = "/user/profile"
    case contacts = "/user/contacts"
    /// Below a path of memory captures, but none of these.
    case otherCaptures = "other captures"
    case mealLogs = "/api/v1/meal-logs"
    case mealNatural = "/api/v1/meal-logs/natural"
    case mealBatch = "/api/v1/meal-logs/batch"
    case mealLog = "/api/v1/meal-logs/{id}"
    case consultations = "/api/v1/consultations"
    case consultationSocket = "/api/v1/consultations/{id}/ws"
    case mealSocket = "/ws/meal-logs"
    case foods = "/api/v1/foods"
    case userFoods = "/api/v1/user-foods"
    case userFood = "/api/v1/user-foods/{id}"
    /// Below a path of meal logs, but none of these.
    case otherMeals = "other meals"
    /// A new record of any kind.
    case journalEntry = "/api/users/user/swift"
    case journalFile = "/api/users/user/multimedia/files"
    case journalList = "/api/users/user/list"
    case journalRecord = "/api/users/user/record"
    case profilePicture = "/api/users/user/profile-picture"
    /// Below a path of the journal, but none of these.
    case otherJournal = "other journal"
    case other

    /// Finds the route of a request target. The query is ignored, and so is one slash at the end:
    /// clients build URLs carelessly, and a redirect would make many of them repeat the request
    /// without its body.
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
            // The first part, before the first slash, is empty.
            let parts = path.split(
                separator: "/", maxSplits: 4, omittingEmptySubsequences: false
            ).dropFirst()
            self =
                Self.ofMeals(path) ?? Self.ofJournal(path) ?? Self.ofStatus(path)
                ?? Self.ofCaptures(Array(parts)) ?? .other
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
        case ("ws", 2...) where parts[1] == "ios": return .otherCaptures
        default: return nil
        }
    }

    /// The authority of a target in absolute form; nil for another form or another scheme.
    static func authority(in target: Substring) -> Substring? {
        for scheme in ["http://", "https://"] where target.lowercased().hasPrefix(scheme) {
            return target.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" }
        }
        return nil
    }

    /// What operators and their programs ask to see how the server is: answered also while there is
    /// no room for another connection (``ConnectionPlaces``).
    var isProbe: Bool {
        switch self {
        case .root, .health, .metrics, .status, .statusPage, .statusSession, .statusEvents,
            .statusPositions:
            true
        default: false
        }
    }

    /// Methods of a path; empty if the path is unknown.
    var methods: [HTTPRequest.Method] {
        switch self {
        case .ingest, .upload, .initUser: [.post]
        case .root, .health, .metrics, .openAPI, .docs, .media, .memories, .profile, .contacts,
            .status, .statusPage, .statusEvents, .statusPositions:
            [.get, .head]
        case .statusSession: [.post, .delete]
        case .mealNatural, .mealBatch, .consultations: [.post]
        case .mealLogs, .foods: [.get, .head]
        case .mealLog, .userFood: [.get, .head, .put, .delete]
        case .userFoods: [.get, .head, .post]
        case .journalEntry: [.post]
        case .journalList, .profilePicture: [.get, .head]
        case .journalFile, .journalRecord: [.get, .head, .delete]
        case .otherCaptures, .mealSocket, .consultationSocket, .otherMeals, .otherJournal, .other:
            []
        }
    }

    /// The form of this path's errors.
    var envelope: ErrorEnvelope {
        switch self {
        case .ingest, .root, .health, .metrics, .openAPI, .docs, .other, .status, .statusPage,
            .statusSession, .statusEvents, .statusPositions:
            .detail
        case .upload: .upload
        case .media, .memories, .initUser, .profile, .contacts, .otherCaptures: .captures
        case .mealLogs, .mealNatural, .mealBatch, .mealLog, .consultations, .consultationSocket,
            .mealSocket, .foods, .userFoods, .userFood, .otherMeals:
            .meals
        case .journalEntry, .journalFile, .journalList, .journalRecord, .profilePicture,
            .otherJournal:
            .journal
        }
    }
}

/// The paths of the journal: everything below `/api/users`.
extension Route {
    /// - Parameter path: with a leading slash, without a trailing one.
    static func ofJournal(_ path: Substring) -> Route? {
        guard path == "/api/users" || path.hasPrefix("/api/users/") else { return nil }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst(3)
        guard parts.first == "user", parts.count >= 3, !parts.contains("") else {
            return .otherJournal
        }
        let (kind, rest) = (parts[parts.startIndex + 2], Array(parts.dropFirst(3)))
        switch (kind, rest.count) {
        case ("multimedia", 2) where rest[0] == "files": return .journalFile
        case ("profile-picture", 0): return .profilePicture
        case ("multimedia", 1) where rest[0] == "swift", ("moods", 1) where rest[0] == "swift",
            ("memories", 1) where rest[0] == "swift", ("events", 1) where rest[0] == "swift",
            ("profile-picture", 1) where rest[0] == "swift":
            return .journalEntry
        case ("multimedia", 0), ("moods", 0), ("memories", 0), ("events", 0): return .journalList
        case ("multimedia", 1), ("moods", 1), ("memories", 1), ("events", 1):
            return .journalRecord
        default: return .otherJournal
        }
    }
}

/// The paths of meal logs.
extension Route {
    /// - Parameter path: with a leading slash, without a trailing one.
    static func ofMeals(_ path: Substring) -> Route? {
        if path == "/ws/meal-logs" { return .mealSocket }
        guard path.hasPrefix("/api/v1/") else { return nil }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst(3)
        guard let system = parts.first, !parts.contains("") else { return .otherMeals }
        let rest = Array(parts.dropFirst())
        switch (system, rest.count) {
        case ("meal-logs", 0): return .mealLogs
        case ("meal-logs", 1) where rest[0] == "natural": return .mealNatural
        case ("meal-logs", 1) where rest[0] == "batch": return .mealBatch
        case ("meal-logs", 1): return .mealLog
        case ("consultations", 0): return .consultations
        case ("consultations", 2) where rest[1] == "ws": return .consultationSocket
        case ("foods", 0): return .foods
        case ("user-foods", 0): return .userFoods
        case ("user-foods", 1): return .userFood
        default: return .otherMeals
        }
    }
}

/// The paths of the status page: everything below `/status`.
extension Route {
    /// - Parameter path: with a leading slash, without a trailing one.
    static func ofStatus(_ path: Substring) -> Route? {
        switch path {
        case "/status": .status
        case "/status/session": .statusSession
        case "/status/events": .statusEvents
        case "/status/positions": .statusPositions
        default:
            path.hasPrefix("/status/page/") && !path.dropFirst("/status/page/".utf8.count).isEmpty
                && !path.dropFirst("/status/page/".utf8.count).contains("/")
                ? .statusPage : nil
        }
    }
}
