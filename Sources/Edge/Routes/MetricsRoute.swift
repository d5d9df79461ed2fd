import Access
import HTTPTypes
import Hummingbird
import Instruments
import NIOCore
import NIOHTTP1

/// `GET /metrics`: figures for Prometheus.
///
/// Whoever reaches the port may read them, or only who shows a key with the scope `status`, as the
/// status page asks for. While nobody need show anything, pages of other sites are refused as by all
/// other routes.
struct MetricsRoute: Sendable {
    let registry: Registry
    /// nil: nobody is refused.
    let access: AccessPolicy?
    let needsKey: Bool

    func add(to router: Router<RouteContext>) {
        router.get("/metrics") { request, _ in
            try await admit(request)
            return Response(
                status: .ok,
                headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: registry.render())))
        }
    }

    private func admit(_ request: Request) async throws(RouteFailure) {
        guard let access else { return }
        if needsKey {
            let caller = try await RouteGuard(access: access, scope: .status).admit(request)
            if case .user = caller { throw .keyNeeded }
            return
        }
        let credentials = Credentials(
            token: nil, origin: request.headers[.origin], authority: request.head.authority)
        guard access.isOpen(to: credentials) else { throw .otherSite }
    }
}

/// The counters of one route, by status.
struct RouteCounters: Sendable {
    private let byStatus: [Int: Counter]
    private let other: Counter

    init(_ registry: Registry, _ route: Route) {
        func counter(_ status: String) -> Counter {
            registry.counter(
                "sluice_http_requests_total", help: "Requests answered, by route and status.",
                labels: [MetricLabel("route", route.rawValue), MetricLabel("status", status)])
        }
        var byStatus: [Int: Counter] = [:]
        for status in EdgeInstruments.statuses { byStatus[status] = counter("\(status)") }
        self.byStatus = byStatus
        other = counter("other")
    }

    subscript(status: Int) -> Counter { byStatus[status] ?? other }
}

/// How long the router takes for one route, by method: from the head of a request to the head of its
/// answer, so a stream of reports or a large file counts until it begins.
///
/// - Series: one for each method that the route has, 37 over all routes. HEAD counts as GET; a request
///   with a method or a path that is not served is counted in ``RouteCounters`` only.
/// - `/ingest` has none. Its `sluice_acknowledgement_seconds` counts batches after their commit and
///   nothing that was refused, in finer buckets, and is what alerts and dashboards know.
struct RouteTimes: Sendable {
    /// 1 ms to 30 s, two a decade: the routes are too many for more.
    private static let bounds = [1, 3, 10, 30, 100, 300, 1000, 3000, 10_000, 30_000]
        .map { $0 * 1_000_000 }

    private let byMethod: [String: Histogram]

    init(_ registry: Registry, _ route: Route) {
        var byMethod: [String: Histogram] = [:]
        for method in route.methods where route != .ingest && method != .head {
            byMethod[method.rawValue] = registry.histogram(
                "sluice_http_request_seconds",
                help: "From the head of a request to the head of its answer, but for /ingest.",
                labels: [
                    MetricLabel("route", route.rawValue), MetricLabel("method", method.rawValue),
                ],
                unit: .seconds, bounds: Self.bounds)
        }
        self.byMethod = byMethod
    }

    subscript(method: HTTPMethod) -> Histogram? {
        byMethod[method == .HEAD ? HTTPMethod.GET.rawValue : method.rawValue]
    }
}
