import HTTPTypes
import Instruments
import NIOCore
import NIOHTTP1

/// Events of a connection apart from requests: half-closes, errors, time-outs.
extension ConnectionHandler {
    /// Bytes of chunk framing that any body may have.
    static let framingBytesFree = 16 * 1024
    /// Further bytes of framing, for each byte of the body; chunks of one byte have five.
    static let framingTimesMax = 8
    /// Time after which a body no longer counts in ``ConnectionLoop/expectedBytes``.
    private static let soon = TimeAmount.milliseconds(500)

    func rest(now: NIODeadline) -> ConnectionRest? {
        guard let context, unsentBytes == 0, wire.waitingBytes(context) == 0 else { return nil }
        return machine.restingSince(now: now, headHasBegun: wire.hasPartOfHead(since: endAtBytes))
            .map { ConnectionRest(since: $0, isFresh: machine.isFirst) }
    }

    func giveWay() {
        context?.close(promise: nil)
    }

    /// The server is stopping.
    func drain() {
        machine.drain(now: loop.readClock())
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .some(.inputClosed) = event as? ChannelEvent else {
            context.fireUserInboundEventTriggered(event)
            return
        }
        switch machine.inputClosed(now: loop.lastNow) {
        case .linger: linger(context)
        case .nothing: break
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? HTTPParserError else {
            if error is ByteToMessageDecoderError { return }
            context.fireErrorCaught(error)
            return
        }
        guard context.channel.isActive else { return }
        let wasReceiving = machine.phase == .receiving
        nothingMoreCanBeRead(Self.failure(of: error, wasReceiving: wasReceiving), context)
    }

    /// The bytes received are not HTTP, or they ended in the middle of a request.
    func nothingMoreCanBeRead(_ failure: RequestFailure, _ context: ChannelHandlerContext) {
        // Before a head has been read, nobody knows whose envelope is wanted.
        if machine.phase == .idle { forgetRoute() }
        switch machine.parseFailed() {
        case .answer:
            abandonRequest()
            answer(failure, .close)
        case .linger:
            linger(context)
        case .nothing:
            break
        }
    }

    /// Rejects a chunked body with too much framing: extensions, leading zeros and trailers carry
    /// nothing, and no decoder limits them. To be called when all received bytes are decoded.
    func lookAtChunks() {
        guard machine.isBodyInChunks, let context else { return }
        let framingBytes = wire.receivedBytes - headAtBytes - machine.bodyBytes
        guard framingBytes > Self.framingBytesFree + Self.framingTimesMax * machine.bodyBytes else {
            return
        }
        nothingMoreCanBeRead(.malformed, context)
        flushIfNeeded()
    }

    private static func failure(of error: HTTPParserError, wasReceiving: Bool) -> RequestFailure {
        switch error {
        case .headerOverflow: .headTooLarge
        case .invalidEOFState where wasReceiving: .bodyIncomplete
        default: .malformed
        }
    }

    /// While the number of bytes to be sent changes, the client reads and is in time, however large
    /// the answer is.
    ///
    /// - Returns: whether the number has changed and bytes remain.
    @discardableResult
    private func lookAtSending(_ context: ChannelHandlerContext, _ now: NIODeadline) -> Bool {
        let waiting = wire.waitingBytes(context)
        if waiting == 0 && isCloseDue { closeSending(context) }
        guard waiting != seenWaitingBytes else { return false }
        seenWaitingBytes = waiting
        if unwritableSince != nil { unwritableSince = now }
        machine.sendingGoesOn(now: now)
        return waiting > 0
    }

    /// Checks for time-outs.
    func tick(now: NIODeadline) {
        guard let context else { return }
        if unwritableSince != nil || machine.phase == .lingering || unsentBytes > 0 {
            lookAtSending(context, now)
        }
        if let request, now - request.startedAt >= Self.soon { stopExpecting() }
        if let since = unwritableSince, now - since >= loop.sendTimeout {
            context.close(promise: nil)
            return
        }
        switch machine.tick(now: now, wireBytes: wire.receivedBytes) {
        case .nothing:
            return
        case .close:
            // A slow client may still have to take the end of its answer.
            if machine.phase == .idle, lookAtSending(context, now) { return }
            context.close(promise: nil)
        case .answerLateHead:
            loop.instruments.answered(.other, status: RequestFailure.headTimedOut.status.code)
            wire.write(
                loop.answers.answer(.headTimedOut, in: .detail, .close).bytes, promise: nil)
            linger(context)
        case .answer(.body, let persistence):
            abandonRequest()
            answer(.bodyTimedOut, persistence)
        case .answer(.acknowledgement, let persistence):
            giveUpOnAcknowledgement(persistence)
        }
        flushIfNeeded()
    }
}
