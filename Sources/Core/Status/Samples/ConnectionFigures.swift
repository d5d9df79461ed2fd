import Instruments

/// Connections and requests in flight, at one moment.
public struct ConnectionFigures: Codable, Equatable, Sendable {
    /// Open connections.
    public var open = 0.0
    /// Maximum number of open connections.
    public var max = 0.0
    /// Bytes of bodies received and not answered yet.
    public var inFlightBytes = 0.0
    /// Maximum of `inFlightBytes`.
    public var inFlightBytesMax = 0.0
    /// Readings received and not yet answered.
    public var inFlightReadings = 0.0
    /// Connections refused because too many were open: a total in a sample, per second in a report.
    public var refused = 0.0
    /// Open WebSockets.
    public var sockets = 0.0
    /// Maximum number of open WebSockets.
    public var socketsMax = 0.0
    /// Files being received.
    public var uploads = 0.0

    /// All zero.
    public init() {}

    init(_ figures: MetricFigures) {
        open = figures.sum("sluice_http_connections")
        max = figures.sum("sluice_http_connections_max")
        inFlightBytes = figures.sum("sluice_http_in_flight_bytes")
        inFlightBytesMax = figures.sum("sluice_http_in_flight_bytes_max")
        inFlightReadings = figures.sum("sluice_readings_in_flight")
        refused = figures.sum("sluice_http_connections_refused_total")
        sockets = figures.sum("sluice_sockets")
        socketsMax = figures.sum("sluice_sockets_max")
        uploads = figures.sum("sluice_uploads")
    }
}
