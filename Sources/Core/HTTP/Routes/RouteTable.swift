import HTTPTypes
import Hummingbird
import NIOHTTP1

/// Every route of the server, in one table. The router, the methods of a 405, the envelope of each
/// error, the labels of metrics and the check of the OpenAPI document follow from it.
struct RouteTable: Sendable {
    /// A known path. An object, because requests look at it more often than they need all of it.
    final class Entry: Sendable {
        /// The `route` label of metrics.
        let label: String
        /// Empty if the path has no routes.
        let methods: [HTTPRequest.Method]
        let envelope: ErrorEnvelope
        let urgency: RouteGroup.Urgency
        let explain: @Sendable (any Error) -> RequestFailure?
        /// Of a path that takes readings.
        let input: InputFormat?
        /// Of a path for WebSockets.
        let socket: SocketPath?
        let pattern: RoutePattern

        /// - Parameter routes: those of the path; none: it is one of the group's others.
        fileprivate init(_ path: String, _ routes: [Route] = [], of group: RouteGroup) {
            label = routes.first?.label ?? group.othersLabel
            envelope = routes.first?.envelope ?? group.envelope
            urgency = group.urgency
            explain = group.explain
            input = routes.lazy.compactMap(\.input).first
            socket = routes.lazy.compactMap(\.socket).first
            pattern = RoutePattern(path)
            methods = routes.flatMap { route -> [HTTPRequest.Method] in
                // A HEAD must not store anything.
                guard route.method == .get, route.input == nil else {
                    return route.method.map { [$0] } ?? []
                }
                return [.get, .head]
            }
        }
    }

    private let routes: [Route]
    /// By ``RouteID/index``.
    private(set) var entries: [Entry]
    /// Those of targets without a parameter, as nearly all are: the same as by the patterns.
    private var literal: [String: RouteID] = [:]
    /// Those with this first segment, in the order in which they are tried.
    private var patterns: [String: [(pattern: RoutePattern, id: RouteID)]] = [:]

    /// - Parameter groups: beside the route for `/ingest`, which is always there. All routes of a
    ///   path that takes readings have one format.
    init(_ groups: [RouteGroup] = []) {
        let ingest = RouteGroup([.input(.post, "/ingest", .ingest)], urgency: .usual)
        entries = [Entry("", of: RouteGroup([], urgency: .usual))]
        let groups = [ingest] + groups
        routes = groups.flatMap(\.routes)
        for group in groups {
            var known: Set<String> = []
            for path in group.routes.map(\.path) where known.insert(path).inserted {
                add(Entry(path, group.routes.filter { $0.path == path }, of: group))
            }
        }
        for group in groups {
            for path in group.others { add(Entry(path, of: group)) }
        }
        for route in routes where !route.path.contains("{") {
            literal[route.path] = id(of: route.path)
        }
    }

    private mutating func add(_ entry: Entry) {
        let id = RouteID(index: entries.count)
        entries.append(entry)
        patterns[entry.pattern.first, default: []].append((entry.pattern, id))
    }

    subscript(id: RouteID) -> Entry { entries[id.index] }

    /// Finds the route of a request target. The query is ignored.
    ///
    /// - Parameter target: in origin or absolute form, as ``RequestTargetForm/tidied(_:)`` returns
    ///   it.
    func id(of target: String) -> RouteID {
        if let id = literal[target] { return id }
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
