import Instruments

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
