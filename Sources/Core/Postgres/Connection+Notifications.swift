import CLibpq
import Glibc

extension Connection {
    /// Waits for a notification on any channel that this session listens on.
    ///
    /// - Parameters:
    ///   - end: when to stop waiting. The connection's deadline is not used.
    ///   - wakeUp: a descriptor that ends the wait when it becomes readable; it is not read.
    /// - Returns: the number of notifications since the last call; 0 when the wait ended without
    ///   any.
    /// - Throws: `.connectionLost`; the session is closed then.
    public func waitForNotifications(
        until end: ContinuousClock.Instant, orReadable wakeUp: Int32 = -1
    ) throws(PostgresError) -> Int {
        while true {
            // Notifications that arrived with the results of other statements need no wait.
            let count = takeNotifications()
            if count > 0 { return count }
            let left = max(end - .now, .zero)
            var descriptors = [
                pollfd(fd: PQsocket(try live()), events: Int16(POLLIN), revents: 0),
                pollfd(fd: wakeUp, events: Int16(POLLIN), revents: 0),
            ]
            let milliseconds = min((left / .milliseconds(1)).rounded(.up), 3_600_000)
            let ready = poll(&descriptors, 2, Int32(milliseconds))
            guard ready >= 0 || errno == EINTR else {
                throw abandon(.connectionLost, message: "poll: errno \(errno)")
            }
            if descriptors[1].revents != 0 { return 0 }
            if descriptors[0].revents != 0 {
                guard PQconsumeInput(try live()) == 1 else {
                    let message = Self.firstLine(PQerrorMessage(try live()))
                    throw abandon(.connectionLost, message: message)
                }
            } else if left == .zero {
                return 0
            }
        }
    }

    /// - Returns: the number of notifications.
    private func takeNotifications() -> Int {
        guard let handle else { return 0 }
        var count = 0
        while let notification = PQnotifies(handle) {
            PQfreemem(notification)
            count += 1
        }
        return count
    }
}
