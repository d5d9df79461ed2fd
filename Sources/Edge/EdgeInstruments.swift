import Ingestion
import Instruments
import NIOHTTP1
import Readings

/// The edge's metrics. All are registered here, once for the process.
final class EdgeInstruments: Sendable {
    let connections: Gauge
    let connectionsRefused: Counter
    let connectionsEvicted: Counter
    let streamsRefused: Counter
    let bytesReceived: Counter
    let bodyBytesDecoded: Counter
    let refusedEarly: Counter
    let acknowledgementsLate: Counter
    let requestsAborted: Counter
    let acknowledgementSeconds: Histogram
    let quarantined: MetricFamily<QuarantineReason, Counter>
    /// Nanoseconds of CPU that event loops have used; exported in seconds.
    let loopNanoseconds = Counter()
    /// The counter of status 200 for `/ingest`, which nearly all requests need.
    let ingested: Counter
    let sockets: SocketInstruments
    private let requests: [Route: RouteCounters]
    private let times: [Route: RouteTimes]

    /// The statuses that the server itself can answer; any other is counted as `other`.
    static let statuses = [
        101, 200, 202, 400, 401, 403, 404, 405, 408, 413, 415, 422, 426, 429, 431, 500, 501, 503,
        507,
    ]

    init(registry: Registry) {
        connections = registry.gauge(
            "sluice_http_connections", help: "Open connections, without WebSockets.")
        connectionsRefused = registry.counter(
            "sluice_http_connections_refused_total",
            help: "Connections closed, most with a 503, because too many had a request.")
        connectionsEvicted = registry.counter(
            "sluice_http_connections_evicted_total",
            help: "Idle connections closed to make room for new ones.")
        streamsRefused = registry.counter(
            "sluice_http_streams_refused_total",
            help: "HTTP/2 streams refused because their connection had too many unsent bytes.")
        bytesReceived = registry.counter(
            "sluice_http_received_bytes_total", help: "Bytes received, heads and bodies.")
        bodyBytesDecoded = registry.counter(
            "sluice_http_decompressed_bytes_total",
            help: "Bytes of compressed bodies, after decompression.")
        refusedEarly = registry.counter(
            "sluice_http_refused_early_total",
            help: "Requests to /ingest rejected before their whole body was read.")
        acknowledgementsLate = registry.counter(
            "sluice_http_acknowledgements_late_total",
            help: "Batches answered with a 503 because their outcome was late.")
        requestsAborted = registry.counter(
            "sluice_http_requests_aborted_total",
            help: "Requests whose client disconnected before the answer.")
        acknowledgementSeconds = registry.histogram(
            "sluice_acknowledgement_seconds",
            help: "From the head of a request to its answer after the commit.",
            unit: .seconds, bounds: Histogram.latencyBounds)
        quarantined = registry.counters(
            QuarantineSeries.name, help: QuarantineSeries.help, label: "reason",
            keys: QuarantineReason.allCases, text: \.rawValue)
        registry.counter(
            "sluice_event_loop_cpu_seconds_total",
            help: "CPU time of the event loops."
        ) { [loopNanoseconds] in Double(loopNanoseconds.value) / 1e9 }
        var requests: [Route: RouteCounters] = [:]
        var times: [Route: RouteTimes] = [:]
        for route in Route.allCases {
            requests[route] = RouteCounters(registry, route)
            times[route] = RouteTimes(registry, route)
        }
        self.requests = requests
        self.times = times
        ingested = requests[.ingest]![200]
        sockets = SocketInstruments(registry: registry)
    }

    func answered(_ route: Route, status: Int) {
        requests[route]?[status].increment()
    }

    /// Where the router's time for such a request is recorded; nil if it is not recorded.
    func time(of route: Route, _ method: HTTPMethod) -> Histogram? { times[route]?[method] }
}
