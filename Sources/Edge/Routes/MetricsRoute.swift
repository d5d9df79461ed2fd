import Access
import HTTPTypes
import Hummingbird
import Instruments
import NIOCore
import NIOHTTP1

/// `GET /metrics`: the metrics for Prometheus.
///
/// Anyone who reaches the port may read them, unless the configuration requires a key with the
/// scope `status`, like the status page. Where no credentials are required, pages of other sites
/// are rejected as on all other routes.
struct MetricsRoute: Sendable {
    let registry: Registry
    /// nil: nobody is rejected.
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

/// The request counters of one route, by status.
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

/// How long the router takes for one route, by method: from the head of a request to the head of
/// its answer. So the time of a stream of reports or a large file ends when it begins.
///
/// - Series: one per method of each route, 37 in all. HEAD counts as GET. A request with an unknown
///   method or path is counted in ``RouteCounters`` only.
/// - `/ingest` has none. Its `sluice_acknowledgement_seconds` measures acknowledged batches only,
///   without rejected requests, in finer buckets; alerts and dashboards use it.
struct RouteTimes: Sendable {
    /// 1 ms to 30 s, two per decade: there are too many routes for more.
    private static let bounds = [1, 3, 10, 30, 100, 300, 1000, 3000, 10_000, 30_000]
        .map { $0 * 1_000_000 }

    private let byMethod: [String: Histogram]

    init(_ registry: Registry, _ route: Route) {
        var byMethod: [String: Histogram] = [:]
        for method in route.methods where route != .ingest && method != .head {
            byMethod[method.rawValue] = registry.histogram(
                "sluice_http_request_seconds",
                help: "From the head of a request to the head of its answer, except for /ingest.",
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
