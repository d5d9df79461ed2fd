import NIOCore

/// What has taken too long.
extension SocketStateMachine {
    /// To be called about once a second.
    ///
    /// - Parameter isReading: what the client sends is read; while it is not, a pong can't be seen.
    mutating func tick(isReading: Bool, now: NIODeadline) -> Action {
        switch phase {
        case .ended:
            return .nothing
        case .closing:
            guard let closingSince, now - closingSince >= limits.closeTimeout else {
                return .nothing
            }
            return end()
        case .open:
            break
        }
        guard isReading else {
            heardAt = now
            pingedAt = nil
            return .nothing
        }
        if let partial, now - partial.since >= limits.messageTimeout {
            return fail(.policyViolation, "the message came too slowly", now)
        }
        if let timeout = limits.idleTimeout, now - spokenAt >= timeout {
            return close(SocketClose(.normal, "idle"), .awaitAnswer, now)
        }
        if let pingedAt { return now - pingedAt >= limits.pongTimeout ? end() : .nothing }
        guard now - heardAt >= limits.pingInterval else { return .nothing }
        pingedAt = now
        return .ping
    }
}
