import CEpoll
import Fleet

/// Greetings on each connection before the clock starts.
extension LoadGenerator {
    private static let greetingNanosecondsMax: UInt64 = 10_000_000_000

    /// Returns when all are answered, or after ten seconds.
    func greetAll(_ events: inout [epoll_event]) {
        let end = monotonicNanoseconds() + Self.greetingNanosecondsMax
        for connection in connections { greet(connection) }
        while greetingsDue > 0, monotonicNanoseconds() < end {
            let count = epoll_wait(epoll, &events, Int32(events.count), 10)
            for index in 0..<max(0, Int(count)) {
                handle(connections[Int(events[index].data.u64)], events[index].events)
            }
        }
    }

    /// Sends an empty request: its answer shows that the server has accepted the connection.
    private func greet(_ connection: Connection) {
        guard connection.socket >= 0, !connection.isConnecting else { return }
        body.removeAll()
        putHead(of: connection, bodyBytes: 0)
        connection.append(.init(ticket: 0, intended: 0, sent: 0, bodyBytes: 0, isGreeting: true))
        greetingsDue += 1
        transmit(on: connection, prepared: nil)
    }
}
