import Logging
import NIOCore
import NIOHTTP2

/// Stands behind the streams of an HTTP/2 connection and carries out what
/// ``StreamedConnectionState`` decides. It also counts the bytes to be sent in all streams, which
/// no window of the connection limits.
///
/// NIO's own handler is not used: its graceful shutdown cancels every timer and waits for an
/// acknowledgement, and it does nothing when the client has closed its side.
final class StreamedConnectionHandler: ChannelInboundHandler, SeatOccupant {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    private let loop: ConnectionLoop
    let seat: ConnectionSeat
    private let input: StreamsInput
    private var state: StreamedConnectionState
    private var context: ChannelHandlerContext?
    private let ping = HTTP2PingData(withInteger: .random(in: .min ... .max))
    /// A GOAWAY with an error is being sent.
    private var hasFailed = false
    /// Bytes of answers that the client has not taken yet.
    private(set) var unsentBytes = 0

    init(loop: ConnectionLoop, input: StreamsInput, seat: ConnectionSeat) {
        self.loop = loop
        self.seat = seat
        self.input = input
        state = StreamedConnectionState(
            limits: StreamedConnectionState.Limits(loop.configuration), now: loop.eventLoop.now)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        loop.add(self)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        loop.remove(self)
    }

    /// Whether one more stream may be processed.
    var hasRoom: Bool { unsentBytes < loop.configuration.streamedUnsentBytesMax }

    func countUnsent(_ change: Int) {
        unsentBytes += change
        precondition(unsentBytes >= 0, "BUG: \(change) bytes made \(unsentBytes)")
    }

    // MARK: Events

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        state.spoke(now: loop.lastNow)
        if case .ping(let data, ack: true) = unwrapInboundIn(data).payload, data == ping {
            act(state.acknowledged(now: loop.readClock()))
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is ChannelShouldQuiesceEvent: drain()
        case ChannelEvent.inputClosed: act(state.inputClosed(now: loop.readClock()))
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    /// Errors of single streams arrive here too and need no action.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        loop.logger.debug("error in an HTTP/2 connection", metadata: ["error": "\(error)"])
        if hasFailed { act(state.failed()) }
    }

    func rest(now: NIODeadline) -> ConnectionRest? { unsentBytes == 0 ? state.rest : nil }

    func giveWay() {
        act(state.giveWay(now: loop.readClock()))
    }

    /// The server is stopping.
    func drain() {
        act(state.drain(now: loop.readClock()))
    }

    /// Checks for time-outs.
    func tick(now: NIODeadline) {
        act(state.tick(now: now))
    }

    func streamOpened(_ stream: HTTP2StreamID) {
        state.streamOpened(stream)
    }

    func streamClosed(_ stream: HTTP2StreamID) {
        act(state.streamClosed(stream, now: loop.readClock()))
    }

    func wrote(_ frame: HTTP2Frame) {
        guard case .goAway(_, let code, _) = frame.payload, code != .noError else { return }
        hasFailed = true
        // Otherwise each further read would cause the same GOAWAY again.
        input.shut()
    }

    // MARK: Actions

    private func act(_ action: StreamedConnectionState.Action) {
        guard let context else { return }
        switch action {
        case .nothing:
            break
        case .announce:
            send(.goAway(lastStreamID: .maxID, errorCode: .noError, opaqueData: nil), context)
            send(.ping(ping, ack: false), context)
            context.flush()
        case .refuseAfter(let last):
            sayGoodbye(last, context)
        case .finish(let last):
            sayGoodbye(last, context)
            close(context)
        case .close:
            close(context)
        }
    }

    private func sayGoodbye(_ last: HTTP2StreamID, _ context: ChannelHandlerContext) {
        send(.goAway(lastStreamID: last, errorCode: .noError, opaqueData: nil), context)
        context.flush()
    }

    private func send(_ payload: HTTP2Frame.FramePayload, _ context: ChannelHandlerContext) {
        context.write(
            wrapOutboundOut(HTTP2Frame(streamID: .rootStream, payload: payload)), promise: nil)
    }

    /// Closes the channel after the current flush, because a stream's end is reported in the middle
    /// of one. TLS then sends its goodbye and waits a few seconds for the client's.
    private func close(_ context: ChannelHandlerContext) {
        input.shut()
        let channel = context.channel
        context.eventLoop.execute { channel.close(promise: nil) }
    }
}
