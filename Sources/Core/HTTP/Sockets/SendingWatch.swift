import NIOCore

/// Detects a client that does not take what is sent.
struct SendingWatch {
    /// Since when the client takes nothing; nil while it does.
    private var stuckSince: NIODeadline?
    /// Bytes that were to be sent at the last check.
    private var waitingBytes = 0

    var isBlocked: Bool { stuckSince != nil }

    mutating func writabilityChanged(isWritable: Bool, now: NIODeadline) {
        stuckSince = isWritable ? nil : stuckSince ?? now
    }

    /// While the number of bytes to be sent changes, the client reads and is in time.
    ///
    /// - Returns: true if the client has taken nothing for `timeout`.
    mutating func isStuck(waitingBytes: Int, timeout: TimeAmount, now: NIODeadline) -> Bool {
        guard let since = stuckSince else { return false }
        if waitingBytes != self.waitingBytes {
            self.waitingBytes = waitingBytes
            stuckSince = now
            return false
        }
        return now - since >= timeout
    }
}
