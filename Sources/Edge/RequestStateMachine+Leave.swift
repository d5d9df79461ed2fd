import NIOCore

/// A client that asks whether its body is wanted (`Expect: 100-continue`), where the router answers.
extension RequestStateMachine {
    /// The router's side waits for the body. From here on it is the client who takes his time.
    ///
    /// - Returns: whether the client waits for a `100 Continue`.
    mutating func bodyWanted(now: NIODeadline) -> Bool {
        guard phase == .forwarding, awaitsLeave, !routerHasBegun else { return false }
        awaitsLeave = false
        since = now
        seenAt = now
        return true
    }
}
