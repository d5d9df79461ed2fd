import NIOCore

/// RFC 6455 from the server's side, once a socket is open: frames and time in, decisions out.
///
/// It knows no socket and no clock. ``SocketHandler`` reports events to it and carries out its
/// decisions.
///
/// ```
///   open ──▶ closing: our close frame is sent ──▶ ended: the connection is to be closed
///     └──────────── the client said goodbye first ──▶┘
/// ```
///
/// - Only complete frames are processed. The decoder in front rejects a frame longer than a message
///   may be as soon as the length is known.
/// - A message in one frame is delivered without a copy. Fragments are assembled here, and each is
///   checked as it arrives, so that an invalid size or text is found early.
/// - Once our close frame is sent, everything except the client's close frame is ignored.
struct SocketStateMachine {
    /// The limits that apply; see ``SocketConfiguration``.
    struct Limits: Sendable {
        var messageBytesMax: Int
        var fragmentsMax: Int
        var controlFramesPerSecondMax: Int
        var outboundBytesMax: Int
        /// nil: idle sockets stay open.
        var idleTimeout: TimeAmount?
        var pingInterval: TimeAmount
        var pongTimeout: TimeAmount
        var messageTimeout: TimeAmount
        var closeTimeout: TimeAmount
    }

    enum Phase: Equatable, Sendable { case open, closing, ended }

    enum Action: Equatable {
        case nothing
        case deliver(ByteBuffer)
        /// Send the ping with this number; see ``SocketPings``.
        case ping(UInt64)
        /// The client has everything that was sent before the ping with this number.
        case confirmed(UInt64)
        case pong(ByteBuffer)
        /// Send this close frame.
        case close(SocketClose, then: AfterClose)
        /// Close the connection without a close frame.
        case end
    }

    enum AfterClose: Equatable, Sendable {
        /// The client has sent its close frame already: close the connection.
        case end
        /// Await the client's close frame.
        case awaitAnswer
        /// The client has violated the protocol. Its bytes are no longer parsed, and the sending
        /// side is closed, so that the client can read why.
        case linger
    }

    /// A message that is not complete.
    struct Partial {
        var bytes: ByteBuffer
        var fragments = 1
        var text = UTF8Validator()
        let since: NIODeadline
    }

    let limits: Limits
    private(set) var phase = Phase.open
    var partial: Partial?
    private var isDraining = false
    /// When anything last arrived from the client.
    var heardAt: NIODeadline
    /// When a message last arrived or was sent.
    var spokenAt: NIODeadline
    var pingedAt: NIODeadline?
    var closingSince: NIODeadline?
    var pings = SocketPings()
    private var controlFrames = 0
    private var controlSince: NIODeadline

    init(limits: Limits, now: NIODeadline) {
        self.limits = limits
        heardAt = now
        spokenAt = now
        controlSince = now
    }

    /// Whether further messages are processed.
    var isListening: Bool { phase == .open && !isDraining }

    // MARK: Frames

    mutating func frameArrived(_ frame: SocketFrame, now: NIODeadline) -> Action {
        heardAt = now
        pingedAt = nil
        switch phase {
        case .ended: return .nothing
        case .closing where frame.kind == .close: return end()
        case .closing: return pongArrived(frame) ?? .nothing
        case .open: break
        }
        guard frame.isMasked else { return fail(.protocolError, "frames must be masked", now) }
        guard !frame.hasReservedBits else {
            return fail(.protocolError, "no extension was agreed on", now)
        }
        switch frame.kind {
        case .text: return messageBegins(frame, now)
        case .continuation: return messageGoesOn(frame, now)
        case .binary where partial == nil: return fail(.unacceptable, "text only", now)
        case .binary, .unknown: return fail(.protocolError, "unexpected opcode", now)
        case .close, .ping, .pong: return controlArrived(frame, now)
        }
    }

    private mutating func messageBegins(_ frame: SocketFrame, _ now: NIODeadline) -> Action {
        guard partial == nil else {
            return fail(.protocolError, "the message before is not complete", now)
        }
        guard frame.payload.readableBytes <= limits.messageBytesMax else { return tooLarge(now) }
        var text = UTF8Validator()
        guard text.accept(frame.payload.readableBytesSpan) else { return invalidText(now) }
        if frame.isFinal { return complete(frame.payload, text, now) }
        // A copy, because a fragment would keep the whole read in memory with which it came.
        var bytes = ByteBuffer()
        bytes.writeImmutableBuffer(frame.payload)
        partial = Partial(bytes: bytes, text: text, since: now)
        return .nothing
    }

    private mutating func messageGoesOn(_ frame: SocketFrame, _ now: NIODeadline) -> Action {
        guard var message = partial.take() else {
            return fail(.protocolError, "nothing to continue", now)
        }
        let bytes = message.bytes.readableBytes + frame.payload.readableBytes
        guard bytes <= limits.messageBytesMax else { return tooLarge(now) }
        message.fragments += 1
        guard message.fragments <= limits.fragmentsMax else {
            return fail(.policyViolation, "too many fragments", now)
        }
        guard message.text.accept(frame.payload.readableBytesSpan) else { return invalidText(now) }
        message.bytes.writeImmutableBuffer(frame.payload)
        if frame.isFinal { return complete(message.bytes, message.text, now) }
        partial = message
        return .nothing
    }

    private mutating func complete(
        _ bytes: ByteBuffer, _ text: UTF8Validator, _ now: NIODeadline
    ) -> Action {
        guard text.isComplete else { return invalidText(now) }
        spokenAt = now
        return isDraining ? .nothing : .deliver(bytes)
    }

    private mutating func controlArrived(_ frame: SocketFrame, _ now: NIODeadline) -> Action {
        guard frame.isFinal, frame.payload.readableBytes <= 125 else {
            return fail(.protocolError, "control frames are short and whole", now)
        }
        if frame.kind == .close { return closeArrived(frame.payload, now) }
        // Not limited: the client gets another ping only after this pong.
        if let confirmed = pongArrived(frame) { return confirmed }
        if now - controlSince >= .seconds(1) {
            controlSince = now
            controlFrames = 0
        }
        controlFrames += 1
        guard controlFrames <= limits.controlFramesPerSecondMax else {
            return fail(.policyViolation, "too many control frames", now)
        }
        return frame.kind == .ping ? .pong(frame.payload) : .nothing
    }

    /// - Returns: nil if it answers no ping.
    private mutating func pongArrived(_ frame: SocketFrame) -> Action? {
        guard frame.kind == .pong else { return nil }
        return pings.answer(frame.payload).map { .confirmed($0) }
    }

    private mutating func closeArrived(_ payload: ByteBuffer, _ now: NIODeadline) -> Action {
        var payload = payload
        guard payload.readableBytes > 0 else { return answerClose(nil) }
        guard let code = payload.readInteger(as: UInt16.self), SocketCloseCode.mayBeSent(code)
        else { return fail(.protocolError, "not a close code", now) }
        var reason = UTF8Validator()
        guard reason.accept(payload.readableBytesSpan), reason.isComplete else {
            return invalidText(now)
        }
        return answerClose(code)
    }

    private mutating func answerClose(_ code: UInt16?) -> Action {
        _ = end()
        return .close(SocketClose(echoing: code), then: .end)
    }

    /// The decoder has rejected a frame: too long, or an invalid control frame.
    mutating func frameRefused(isTooLarge: Bool, now: NIODeadline) -> Action {
        guard phase == .open else { return .nothing }
        return isTooLarge
            ? tooLarge(now) : fail(.protocolError, "control frames are short and whole", now)
    }

    // MARK: Ways to end

    private mutating func tooLarge(_ now: NIODeadline) -> Action {
        fail(.tooLarge, "at most \(limits.messageBytesMax) bytes", now)
    }

    private mutating func invalidText(_ now: NIODeadline) -> Action {
        fail(.invalidText, "not UTF-8", now)
    }

    mutating func fail(
        _ code: SocketCloseCode, _ reason: String, _ now: NIODeadline
    ) -> Action {
        close(SocketClose(code, reason), .linger, now)
    }

    mutating func close(
        _ close: SocketClose, _ then: AfterClose, _ now: NIODeadline
    ) -> Action {
        guard phase == .open else { return .nothing }
        phase = .closing
        partial = nil
        closingSince = now
        return .close(close, then: then)
    }

    mutating func end() -> Action {
        guard phase != .ended else { return .nothing }
        phase = .ended
        partial = nil
        return .end
    }

    /// The application or the server wants to close the socket.
    mutating func leave(_ goodbye: SocketClose, now: NIODeadline) -> Action {
        close(goodbye, .awaitAnswer, now)
    }

    /// The server stops. Offered units are awaited, and no new message is processed.
    ///
    /// - Parameter isBusy: units are unanswered.
    mutating func drain(isBusy: Bool, now: NIODeadline) -> Action {
        isDraining = true
        return settled(isBusy: isBusy, now: now)
    }

    /// A unit has been answered.
    mutating func settled(isBusy: Bool, now: NIODeadline) -> Action {
        guard isDraining, !isBusy else { return .nothing }
        return close(SocketClose(.goingAway, "the server stops"), .awaitAnswer, now)
    }

    /// The client has closed its side, or the connection is gone.
    mutating func inputClosed() -> Action { end() }

    // MARK: Sending

    enum SendAction: Equatable { case send, drop, close(Action) }

    /// A message is to be sent.
    ///
    /// - Parameter waitingBytes: bytes that the client has not taken yet.
    mutating func send(bytes: Int, waitingBytes: Int, now: NIODeadline) -> SendAction {
        guard phase == .open else { return .drop }
        guard waitingBytes == 0 || waitingBytes + bytes <= limits.outboundBytesMax else {
            return .close(close(SocketClose(.tryAgainLater, "too slow"), .linger, now))
        }
        spokenAt = now
        return .send
    }

    /// All queued messages are about to be sent.
    ///
    /// - Returns: the number of the ping to send behind them.
    mutating func pingDue() -> UInt64? {
        phase == .open ? pings.due() : nil
    }
}

extension SocketStateMachine.Limits {
    init(_ configuration: SocketConfiguration) {
        self.init(
            messageBytesMax: configuration.messageBytesMax,
            fragmentsMax: configuration.fragmentsMax,
            controlFramesPerSecondMax: configuration.controlFramesPerSecondMax,
            outboundBytesMax: configuration.outboundBytesMax,
            idleTimeout: TimeAmount(configuration.idleTimeout),
            pingInterval: TimeAmount(configuration.pingInterval),
            pongTimeout: TimeAmount(configuration.pongTimeout),
            messageTimeout: TimeAmount(configuration.messageTimeout),
            closeTimeout: TimeAmount(configuration.closeTimeout))
    }
}

/// The time-outs.
extension SocketStateMachine {
    /// To be called about once a second.
    ///
    /// - Parameter isReading: the socket is read; otherwise a pong could not be seen.
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
        return .ping(pings.next())
    }
}
