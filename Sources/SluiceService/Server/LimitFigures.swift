import Edge
import Ingestion
import Instruments
import Spooling

/// The configured limits as gauges, so that alerts and panels can say how near something is to its
/// own; and which version this is.
struct LimitFigures: MetricSource {
    let version: String
    let laneBytesMax: Int
    /// 0: there is no spool.
    let spoolBytesMax: Int
    let connectionsMax: Int
    let socketsMax: Int
    let inFlightBytesMax: Int

    init(_ configuration: ServiceConfiguration, version: String) {
        self.version = version
        laneBytesMax = configuration.ingestion.laneBytesMax
        let hasSpool = configuration.spool.bytesMax > 0
        spoolBytesMax = hasSpool ? configuration.fittingSpool.bytesMax : 0
        connectionsMax = configuration.edge.connectionsMax
        socketsMax = configuration.edge.sockets.socketsMax
        inFlightBytesMax = configuration.edge.inFlightBytesMax
    }

    func expose(to text: inout MetricText) {
        text.family("sluice_build_info", .gauge, help: "1, with the version of this process.")
        text.sample(1, labels: [MetricLabel("version", version)])
        func limit(_ name: String, _ value: Int, _ help: String) {
            text.family(name, .gauge, help: help)
            text.sample(value)
        }
        limit(
            "sluice_lane_waiting_bytes_max", laneBytesMax,
            "Bytes of batches that may wait for one lane.")
        limit(
            "sluice_spool_bytes_max", spoolBytesMax,
            "Bytes that the spool's files may have; 0: there is no spool.")
        limit(
            "sluice_http_connections_max", connectionsMax, "Connections that may be open.")
        limit("sluice_sockets_max", socketsMax, "WebSockets that may be open.")
        limit(
            "sluice_http_in_flight_bytes_max", inFlightBytesMax,
            "Bytes of bodies that may be received and not yet answered.")
    }
}
