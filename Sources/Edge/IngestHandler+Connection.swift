import Instruments
import NIOCore
import NIOHTTP1

/// What befalls a connection of ``IngestHandler`` apart from requests: half-closes, errors, time.
extension IngestHandler {
    /// The server is stopping.
    func drain() {
        machine.drain()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .some(.inputClosed) = event as? ChannelEvent else {
            context.fireUserInboundEventTriggered(event)
            return
        }
        switch machine.inputClosed() {
        case .close: context.close(promise: nil)
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
        switch machine.parseFailed() {
        case .answer:
            abandonRequest()
            answer(Self.failure(of: error, wasReceiving: wasReceiving), .close)
        case .linger:
            linger(context)
        case .nothing:
            break
        }
    }

    private static func failure(of error: HTTPParserError, wasReceiving: Bool) -> Failure {
        switch error {
        case .headerOverflow: .headTooLarge
        case .invalidEOFState where wasReceiving: .bodyIncomplete
        default: .requestMalformed
        }
    }

    /// Looks for what has timed out.
    func tick(now: NIODeadline) {
        guard let context else { return }
        if let since = unwritableSince, now - since >= loop.sendTimeout {
            context.close(promise: nil)
            return
        }
        switch machine.tick(now: now, wireBytes: wire.receivedBytes) {
        case .nothing:
            return
        case .close:
            context.close(promise: nil)
        case .answerLateHead:
            loop.instruments.answered(.other, status: Failure.headTimedOut.status)
            wire.write(loop.answer(.headTimedOut, .close).bytes, promise: nil)
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
