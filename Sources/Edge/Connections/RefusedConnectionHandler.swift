import Instruments
import NIOCore
import NIOHTTP1

/// Answers a connection beyond the limit with a 503 and closes it.
///
/// It answers without reading a request, because the answer is the same for all. If the connection
/// waited in the kernel's queue instead, its client, or a health check, would time out and learn
/// nothing.
final class RefusedConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = IOData

    private let loop: EdgeLoop
    private var isTold = false

    /// Time for the client to read the answer and close.
    private static let patience = TimeAmount.seconds(2)
    private static let retryAfter = Duration.seconds(5)

    init(loop: EdgeLoop) {
        self.loop = loop
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { refuse(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        refuse(context)
        context.fireChannelActive()
        context.read()
    }

    private func refuse(_ context: ChannelHandlerContext) {
        guard !isTold else { return }
        isTold = true
        loop.instruments.connectionsRefused.increment()
        let answer = loop.answer(.tooManyConnections(retryAfter: Self.retryAfter), .close)
        context.writeAndFlush(wrapOutboundOut(.byteBuffer(answer.bytes)), promise: nil)
        context.close(mode: .output, promise: nil)
        let channel = context.channel
        context.eventLoop.scheduleTask(in: Self.patience) { channel.close(promise: nil) }
    }

    /// Discards the request.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}

    func channelReadComplete(context: ChannelHandlerContext) {
        context.read()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is ChannelShouldQuiesceEvent: context.close(promise: nil)
        case ChannelEvent.inputClosed: context.close(promise: nil)
        default: context.fireUserInboundEventTriggered(event)
        }
    }
}

/// Replaces the head and the end of an answer, once they have passed the pipelining handler, by one
/// write of bytes that are ready. This bypasses the HTTP encoder: 1.11 times the requests a second
/// of the same server with head, body and end through the encoder (median of 7 pairs, 1.01 to
/// 1.18).
///
/// The pipelining handler must see the end of an answer, which lets the next request in. It need
/// not see the content.
final class ReadyAnswerHandler: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let wire: WireHandler

    init(wire: WireHandler) {
        self.wire = wire
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard let bytes = wire.ready else {
            context.write(data, promise: promise)
            return
        }
        switch unwrapOutboundIn(data) {
        case .head, .body:
            promise?.succeed()
        case .end:
            wire.ready = nil
            wire.write(bytes, promise: promise)
        }
    }
}
