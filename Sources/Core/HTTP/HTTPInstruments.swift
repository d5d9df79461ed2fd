import Ingest
import Instruments
import NIOHTTP1
import Readings

/// The edge's metrics. All are registered here, once for the process.
final class HTTPInstruments: Sendable {
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
    let ignoredFields: Counter
    /// Nanoseconds of CPU that event loops have used; exported in seconds.
    let loopNanoseconds = Counter()
    /// The counter of status 200 for `/ingest`, which nearly all requests need.
    let ingested: Counter
    let sockets: SocketInstruments
    /// Every known path; the next two have one element for each.
    let routes: RouteTable
    private let requests: [RouteCounters]
    private let times: [RouteTimes]

    /// The statuses that the server itself can answer; any other is counted as `other`.
    static let statuses = [
        101, 200, 202, 400, 401, 403, 404, 405, 408, 413, 415, 422, 426, 429, 431, 500, 501, 503,
        507,
    ]

    init(registry: Registry, routes: RouteTable) {
        self.routes = routes
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
            help: "Requests with readings rejected before their whole body was read.")
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
        ignoredFields = registry.counter(
            "sluice_ignored_fields_total",
            help: "Fields of batches and readings that nothing reads; answers name the first.")
        registry.counter(
            "sluice_event_loop_cpu_seconds_total",
            help: "CPU time of the event loops."
        ) { [loopNanoseconds] in Double(loopNanoseconds.value) / 1e9 }
        var series: [String: (RouteCounters, RouteTimes)] = [:]
        // The one for all other paths comes last on the page.
        for entry in routes.entries.dropFirst() + routes.entries.prefix(1)
        where series[entry.label] == nil {
            series[entry.label] = (
                RouteCounters(registry, entry.label),
                RouteTimes(registry, entry.label, entry.input == nil ? entry.methods : [])
            )
        }
        let ordered = routes.entries.compactMap { series[$0.label] }
        requests = ordered.map(\.0)
        times = ordered.map(\.1)
        ingested = requests[RouteID.ingest.index][200]
        sockets = SocketInstruments(registry: registry)
    }

    func answered(_ route: RouteID, status: Int) {
        requests[route.index][status].increment()
    }

    /// Where the router's time for such a request is recorded; nil if it is not recorded.
    func time(of route: RouteID, _ method: HTTPMethod) -> Histogram? { times[route.index][method] }
}
