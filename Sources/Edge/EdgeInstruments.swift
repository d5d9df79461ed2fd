import Ingestion
import Instruments
import NIOHTTP1
import Readings

/// What the edge counts. Everything is registered here, once for the process.
final class EdgeInstruments: Sendable {
    let connections: Gauge
    let connectionsRefused: Counter
    let streamsRefused: Counter
    let bytesReceived: Counter
    let bodyBytesDecoded: Counter
    let refusedEarly: Counter
    let acknowledgementsLate: Counter
    let requestsAborted: Counter
    let acknowledgementSeconds: Histogram
    let quarantined: MetricFamily<QuarantineReason, Counter>
    /// Nanoseconds that event loops have run on a core; told in seconds.
    let loopNanoseconds = Counter()
    /// The counter that nearly all requests need: `/ingest`, 200.
    let ingested: Counter
    let sockets: SocketInstruments
    private let requests: [Route: RouteCounters]
    private let times: [Route: RouteTimes]

    /// The statuses that the server itself can answer; all others are counted as `other`.
    static let statuses = [
        101, 200, 202, 400, 401, 403, 404, 405, 408, 413, 415, 422, 426, 429, 431, 500, 501, 503,
        507,
    ]

    init(registry: Registry) {
        connections = registry.gauge(
            "sluice_http_connections", help: "Open connections.")
        connectionsRefused = registry.counter(
            "sluice_http_connections_refused_total",
            help: "Connections closed with a 503 because too many were open.")
        streamsRefused = registry.counter(
            "sluice_http_streams_refused_total",
            help: "HTTP/2 streams refused because too much waited to be sent in their connection.")
        bytesReceived = registry.counter(
            "sluice_http_received_bytes_total", help: "Bytes received, heads and bodies.")
        bodyBytesDecoded = registry.counter(
            "sluice_http_decompressed_bytes_total",
            help: "Bytes of compressed bodies, after decompression.")
        refusedEarly = registry.counter(
            "sluice_http_refused_early_total",
            help: "Requests answered before their body was read.")
        acknowledgementsLate = registry.counter(
            "sluice_http_acknowledgements_late_total",
            help: "Batches answered with a 503 because no outcome came in time.")
        requestsAborted = registry.counter(
            "sluice_http_requests_aborted_total",
            help: "Requests whose client went away before they were answered.")
        acknowledgementSeconds = registry.histogram(
            "sluice_acknowledgement_seconds",
            help: "From the head of a request to its answer after the commit.",
            unit: .seconds, bounds: Histogram.latencyBounds)
        quarantined = registry.counters(
            QuarantineSeries.name, help: QuarantineSeries.help, label: "reason",
            keys: QuarantineReason.allCases, text: \.rawValue)
        registry.counter(
            "sluice_event_loop_cpu_seconds_total",
            help: "Time that event loops have run on a core."
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

    /// Counts an answer.
    func answered(_ route: Route, status: Int) {
        requests[route]?[status].increment()
    }

    /// Where the router's time for such a request is recorded; nil: nowhere.
    func time(of route: Route, _ method: HTTPMethod) -> Histogram? { times[route]?[method] }
}
