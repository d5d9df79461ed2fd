import NIOCore

/// Whether a client takes what it is sent.
struct SendingWatch {
    /// Since when it has not; nil while all is well.
    private var stuckSince: NIODeadline?
    /// What waited at the last look.
    private var waitingBytes = 0

    var isBlocked: Bool { stuckSince != nil }

    mutating func writabilityChanged(isWritable: Bool, now: NIODeadline) {
        stuckSince = isWritable ? nil : stuckSince ?? now
    }

    /// As long as what waits changes, the client reads and is in time.
    ///
    /// - Returns: true when it has taken nothing for `timeout`.
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
