import Access
import Hummingbird
import Instruments
import NIOCore

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
