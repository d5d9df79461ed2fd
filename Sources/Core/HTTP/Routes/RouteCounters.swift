import HTTPTypes
import Hummingbird
import Instruments
import NIOCore
import NIOHTTP1

/// The request counters of one route, by status.
struct RouteCounters: Sendable {
    private let byStatus: [Int: Counter]
    private let other: Counter

    /// - Parameter label: of the route.
    init(_ registry: Registry, _ label: String) {
        func counter(_ status: String) -> Counter {
            registry.counter(
                "sluice_http_requests_total", help: "Requests answered, by route and status.",
                labels: [MetricLabel("route", label), MetricLabel("status", status)])
        }
        var byStatus: [Int: Counter] = [:]
        for status in HTTPInstruments.statuses { byStatus[status] = counter("\(status)") }
        self.byStatus = byStatus
        other = counter("other")
    }

    subscript(status: Int) -> Counter { byStatus[status] ?? other }
}
