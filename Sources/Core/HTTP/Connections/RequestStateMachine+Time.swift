import NIOCore

/// The time-outs.
extension RequestStateMachine {
    /// While the server stops: time for a client that has connected to send its first request, for
    /// which it came.
    static let firstGrace = TimeAmount.seconds(1)
    /// While the server stops: time for a next request that may be in transit or in the kernel.
    static let nextGrace = TimeAmount.milliseconds(200)

    /// The client takes what is sent: its time to close, or to send its next request, starts again.
    mutating func sendingGoesOn(now: NIODeadline) {
        if phase == .lingering || phase == .idle { since = now }
    }

    /// The body is chunked and its end has not arrived.
    var isBodyInChunks: Bool { isOpen && !requestEnded && framing.declaredBytes == nil }

    /// To be called several times a second.
    ///
    /// - Parameter wireBytes: bytes received on this connection so far.
    mutating func tick(now: NIODeadline, wireBytes: Int) -> TickAction {
        switch phase {
        case .closed, .translating:
            return .nothing
        case .lingering:
            return now - since >= limits.lingerTimeout ? .close : .nothing
        case .idle:
            return tickIdle(now, wireBytes)
        case .upgrading:
            return now - since >= limits.acknowledgeWithin ? .close : .nothing
        case .offered:
            guard now - since >= limits.acknowledgeWithin else { return .nothing }
            return .answer(.acknowledgement, settle())
        case .receiving:
            guard bodyIsLate(now) else { return .nothing }
            mustClose = true
            return .answer(.body, settle())
        case .forwarding:
            guard !requestEnded, !awaitsContinue, bodyIsLate(now) else { return .nothing }
            if routerHasBegun { return .close }
            phase = .settling
            mustClose = true
            return .answer(.body, .close)
        case .settling:
            return now - since >= limits.lingerTimeout ? .close : .nothing
        }
    }

    private mutating func tickIdle(_ now: NIODeadline, _ wireBytes: Int) -> TickAction {
        if seenBytes < 0 {
            // The first check since the answer: bytes that came until then belong to earlier
            // requests.
            seenBytes = wireBytes
        } else if wireBytes != seenBytes, !headStarted {
            headStarted = true
            seenAt = now
        }
        if headStarted {
            guard now - seenAt >= limits.headTimeout else { return .nothing }
            phase = .lingering
            since = now
            return .answerLateHead
        }
        if let drainsSince, now - drainsSince >= (isFirst ? Self.firstGrace : Self.nextGrace) {
            return .close
        }
        return now - since >= (isFirst ? limits.headTimeout : limits.idleTimeout)
            ? .close : .nothing
    }

    /// A client that has not sent the rest of a head, or has not closed after an answer, for this
    /// long may lose its connection to another client.
    static let patience = TimeAmount.seconds(1)
    /// Since when the connection only waits for its client; nil while a request is under way.
    ///
    /// - Parameter headHasBegun: bytes of the next request have arrived.
    func restingSince(now: NIODeadline, headHasBegun: Bool) -> NIODeadline? {
        switch phase {
        // A first head comes in one piece, with hardly an exception.
        case .idle where !headHasBegun || isFirst: since
        case .idle: headStarted && now - seenAt >= Self.patience ? seenAt : nil
        case .settling where answered, .lingering: now - since >= Self.patience ? since : nil
        case .settling, .forwarding, .receiving, .translating, .offered, .upgrading, .closed: nil
        }
    }

    private mutating func bodyIsLate(_ now: NIODeadline) -> Bool {
        if bodyBytes != seenBytes {
            seenBytes = bodyBytes
            seenAt = now
        }
        if now - seenAt >= limits.bodyTimeout { return true }
        let measured = (now - since - limits.bodyTimeout).nanoseconds
        guard measured > 0 else { return false }
        let seconds = measured / 1_000_000_000
        return bodyBytes < Int(seconds) * limits.bodyBytesPerSecondMin
    }
}

/// `Expect: 100-continue` in requests that the router answers.
extension RequestStateMachine {
    /// The router's side wants the body. From here on any delay is the client's.
    ///
    /// - Returns: whether the client waits for a `100 Continue`.
    mutating func bodyWanted(now: NIODeadline) -> Bool {
        guard phase == .forwarding, awaitsContinue, !routerHasBegun else { return false }
        awaitsContinue = false
        since = now
        seenAt = now
        return true
    }
}

extension RequestStateMachine.Limits {
    init(_ configuration: HTTPConfiguration) {
        self.init(
            headTimeout: TimeAmount(configuration.headTimeout),
            idleTimeout: TimeAmount(configuration.idleTimeout),
            bodyTimeout: TimeAmount(configuration.bodyTimeout),
            bodyBytesPerSecondMin: configuration.bodyBytesPerSecondMin,
            acknowledgeWithin: TimeAmount(configuration.acknowledgeWithin),
            lingerTimeout: TimeAmount(configuration.lingerTimeout),
            keptRestBytesMax: configuration.keptRestBytesMax)
    }
}
