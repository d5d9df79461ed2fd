import NIOCore
import NIOSSL
import NIOTLS

/// Closes a connection whose handshake takes too long or fails, or is under way when the server
/// stops.
final class HandshakeHandler: ChannelInboundHandler, RemovableChannelHandler, SeatOccupant {
    typealias InboundIn = Any

    /// A handshake that takes longer may give way to another connection.
    private static let patience = TimeAmount.seconds(1)

    private let timeout: TimeAmount
    private var startedAt = NIODeadline.now()
    private var deadline: Scheduled<Void>?
    private var context: ChannelHandlerContext?

    init(timeout: TimeAmount) {
        self.timeout = timeout
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        let channel = context.channel
        startedAt = context.eventLoop.now
        deadline = context.eventLoop.scheduleTask(in: timeout) { channel.close(promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        deadline?.cancel()
        deadline = nil
        self.context = nil
    }

    func rest(now: NIODeadline) -> ConnectionRest? {
        now - startedAt >= Self.patience ? ConnectionRest(since: startedAt, isFresh: true) : nil
    }

    func giveWay() {
        context?.close(promise: nil)
    }

    /// The handshake is complete.
    func end() {
        guard let context else { return }
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is ChannelShouldQuiesceEvent: context.close(promise: nil)
        case ChannelEvent.inputClosed: context.close(promise: nil)
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    /// No request has arrived yet that could be answered.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
