import HTTPTypes
import Hummingbird
import Instruments
import NIOCore
import NIOHTTP1

/// How long the router takes for one route, by method: from the head of a request to the head of
/// its answer. So the time of a stream of reports or a large file ends when it begins.
///
/// - Series: one per method of each route. HEAD counts as GET. A request with an unknown
///   method or path is counted in ``RouteCounters`` only.
/// - Paths that take readings have none. Their `sluice_acknowledgement_seconds` measures
///   acknowledged batches only, without rejected requests, in finer buckets; alerts and dashboards
///   use it.
struct RouteTimes: Sendable {
    /// 1 ms to 30 s, two per decade: there are too many routes for more.
    private static let bounds = [1, 3, 10, 30, 100, 300, 1000, 3000, 10_000, 30_000]
        .map { $0 * 1_000_000 }

    private let byMethod: [String: Histogram]

    /// - Parameters:
    ///   - label: of the route.
    ///   - methods: of the route.
    init(_ registry: Registry, _ label: String, _ methods: [HTTPRequest.Method]) {
        var byMethod: [String: Histogram] = [:]
        for method in methods where method != .head {
            byMethod[method.rawValue] = registry.histogram(
                "sluice_http_request_seconds",
                help: "From the head of a request to the head of its answer, except for /ingest.",
                labels: [
                    MetricLabel("route", label), MetricLabel("method", method.rawValue),
                ],
                unit: .seconds, bounds: Self.bounds)
        }
        self.byMethod = byMethod
    }

    subscript(method: HTTPMethod) -> Histogram? {
        byMethod[method == .HEAD ? HTTPMethod.GET.rawValue : method.rawValue]
    }
}
