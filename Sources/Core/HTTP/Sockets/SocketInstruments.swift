import Instruments

/// The metrics of sockets. Registered once for the process.
struct SocketInstruments: Sendable {
    let open: Gauge
    let refused: Counter
    let messagesReceived: Counter
    let controlReceived: Counter
    let messagesSent: Counter
    let controlSent: Counter
    private let closes: MetricFamily<Int, Counter>

    /// Not a code on the wire: the connection ended without a close frame (RFC 6455, section
    /// 7.4.1).
    static let abnormal = 1006
    /// Not a code on the wire either: a close frame without a code.
    static let noStatus = 1005

    init(registry: Registry) {
        open = registry.gauge("sluice_sockets", help: "Open WebSockets.")
        refused = registry.counter(
            "sluice_sockets_refused_total",
            help: "Upgrades refused because too many sockets were open, in all or by one client.")
        func frames(_ direction: String, _ kind: String) -> Counter {
            registry.counter(
                "sluice_socket_frames_total",
                help: "WebSocket frames, by direction and kind; each fragment counts.",
                labels: [MetricLabel("direction", direction), MetricLabel("kind", kind)])
        }
        messagesReceived = frames("in", "message")
        controlReceived = frames("in", "control")
        messagesSent = frames("out", "message")
        controlSent = frames("out", "control")
        closes = registry.counters(
            "sluice_socket_closes_total",
            help: "WebSockets that have ended, by the code of the first close frame.",
            label: "code",
            keys: SocketCloseCode.allCases.map { Int($0.rawValue) }
                + [Self.noStatus, Self.abnormal])
    }

    /// Counts the end of a socket.
    func closed(_ code: Int) {
        closes[code].increment()
    }
}
