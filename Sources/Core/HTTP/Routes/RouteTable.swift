import HTTPTypes
import Hummingbird
import NIOHTTP1

/// Every route of the server, in one table. The router, the methods of a 405, the envelope of each
/// error, the labels of metrics and the check of the OpenAPI document follow from it.
struct RouteTable: Sendable {
    /// A known path.
    struct Entry: Sendable {
        /// The `route` label of metrics.
        let label: String
        /// Empty if the path has no routes.
        var methods: [HTTPRequest.Method] = []
        let envelope: ErrorEnvelope
        let urgency: RouteGroup.Urgency
        let explain: @Sendable (any Error) -> RequestFailure?
        /// Of a path that takes readings.
        var input: InputFormat?
        /// Of a path for WebSockets.
        var socket: SocketPath?
        var pattern = RoutePattern("")
    }

    private let routes: [Route]
    /// By ``RouteID/index``.
    private(set) var entries: [Entry]
    /// Those with this first segment, in the order in which they are tried.
    private var patterns: [String: [(pattern: RoutePattern, id: RouteID)]] = [:]

    /// - Parameter groups: beside the route for `/ingest`, which is always there. All routes of a
    ///   path that takes readings have one format.
    init(_ groups: [RouteGroup] = []) {
        let other = RouteGroup([], urgency: .usual)
        let ingest = RouteGroup([.input(.post, "/ingest", .ingest)], urgency: .usual)
        entries = [
            Entry(
                label: other.othersLabel, envelope: other.envelope, urgency: other.urgency,
                explain: other.explain)
        ]
        let groups = [ingest] + groups
        routes = groups.flatMap(\.routes)
        for group in groups { add(group) }
        for group in groups {
            for path in group.others { add(path, group.othersLabel, group.envelope, group) }
        }
    }

    private mutating func add(_ group: RouteGroup) {
        var known: [String: RouteID] = [:]
        for route in group.routes {
            let id =
                known[route.path]
                ?? add(route.path, route.label, route.envelope ?? group.envelope, group)
            known[route.path] = id
            if let socket = route.socket { entries[id.index].socket = socket }
            guard let method = route.method else { continue }
            entries[id.index].input = route.input
            // A HEAD must not store anything.
            let hasHead = method == .get && route.input == nil
            entries[id.index].methods += hasHead ? [.get, .head] : [method]
        }
    }

    @discardableResult
    private mutating func add(
        _ path: String, _ label: String, _ envelope: ErrorEnvelope, _ group: RouteGroup
    ) -> RouteID {
        let id = RouteID(index: entries.count)
        entries.append(
            Entry(
                label: label, envelope: envelope, urgency: group.urgency, explain: group.explain,
                pattern: RoutePattern(path)))
        let pattern = RoutePattern(path)
        patterns[pattern.first, default: []].append((pattern, id))
        return id
    }

    subscript(id: RouteID) -> Entry { entries[id.index] }

    /// Finds the route of a request target. The query is ignored.
    ///
    /// - Parameter target: in origin or absolute form, as ``RequestTargetForm/tidied(_:)`` returns
    ///   it.
    func id(of target: String) -> RouteID {
        if target == "/ingest" { return .ingest }
        guard let path = RequestTargetForm.path(of: target) else { return .other }
        let parts = RoutePattern.segments(of: path)
        let candidates = patterns[String(parts.first ?? "")] ?? []
        return candidates.first { $0.pattern.fits(parts) }?.id ?? .other
    }

    /// Whether a path has the method.
    func allows(_ method: HTTPMethod, on id: RouteID) -> Bool {
        entries[id.index].methods.contains { $0.rawValue == method.rawValue }
    }

    /// Methods and paths, without HEAD, which every GET has.
    var operations: [(method: HTTPRequest.Method?, path: String)] {
        routes.map { ($0.method, $0.path) }
    }

    /// The router of all routes that are not answered before it.
    func router() -> Router<RouteContext> {
        let router = Router(context: RouteContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: EnvelopeMiddleware(table: self))
        router.add(middleware: ContinueMiddleware())
        for route in routes {
            guard let method = route.method, let handler = route.handler else { continue }
            router.on(RouterPath(route.path), method: method, use: handler)
        }
        return router
    }
}
