import HTTP
import Glibc
import Ingest
import Instruments
import Logging
import Postgres
import ServiceLifecycle
import SpoolLog

/// The configured limits as gauges, with which alerts and panels compare usage, and the version.
struct LimitFigures: MetricSource {
    let version: String
    let commit: String?
    let laneBytesMax: Int
    /// 0: there is no spool.
    let spoolBytesMax: Int
    let connectionsMax: Int
    let socketsMax: Int
    let inFlightBytesMax: Int

    init(_ configuration: ServiceConfiguration, version: String, commit: String? = nil) {
        self.version = version
        self.commit = commit
        laneBytesMax = configuration.ingestion.laneBytesMax
        let hasSpool = configuration.spool.bytesMax > 0
        spoolBytesMax = hasSpool ? configuration.fittingSpool.bytesMax : 0
        connectionsMax = configuration.edge.connectionsMax
        socketsMax = configuration.edge.sockets.socketsMax
        inFlightBytesMax = configuration.edge.inFlightBytesMax
    }

    func expose(to text: inout MetricText) {
        text.family(
            "sluice_build_info", .gauge, help: "Always 1; the labels are version and commit.")
        text.sample(
            1, labels: [MetricLabel("version", version), MetricLabel("commit", commit ?? "")])
        func limit(_ name: String, _ value: Int, _ help: String) {
            text.family(name, .gauge, help: help)
            text.sample(value)
        }
        limit(
            "sluice_lane_waiting_bytes_max", laneBytesMax,
            "Limit of the bytes of batches queued for one lane.")
        limit(
            "sluice_spool_bytes_max", spoolBytesMax,
            "Limit of the bytes of the spool's files; 0: there is no spool.")
        limit(
            "sluice_http_connections_max", connectionsMax, "Limit of open connections.")
        limit("sluice_sockets_max", socketsMax, "Limit of open WebSockets.")
        limit(
            "sluice_http_in_flight_bytes_max", inFlightBytesMax,
            "Limit of the bytes of bodies that were received and not yet answered.")
    }
}
