import NIOCore
import NIOSSL
import NIOTLS

/// A connection that begins with a TLS handshake, which also negotiates HTTP/1.1 or HTTP/2 (ALPN,
/// RFC 7301).
enum SecureConnection {
    static func begin(
        on channel: any Channel, tls: TLSContext, loop: EdgeLoop, seat: ConnectionSeat
    ) throws -> EventLoopFuture<EdgeChannel.Connection> {
        let pipeline = channel.pipeline.syncOperations
        let waiting = HandshakeHandler(timeout: TimeAmount(tls.configuration.handshakeTimeout))
        seat.occupy(waiting)
        // The negotiation adds the handlers of its protocol at once; what the connection becomes is
        // decided later.
        typealias Becoming = EventLoopFuture<EdgeChannel.Connection>
        let negotiation = NIOTypedApplicationProtocolNegotiationHandler<Becoming> { result in
            waiting.end()
            return channel.eventLoop.makeCompletedFuture {
                result == .negotiated("h2")
                    ? try StreamedConnection.begin(
                        on: channel, configuration: tls.configuration, loop: loop, seat: seat)
                    : try EdgeChannel.addHandlers(
                        to: channel, loop: loop, seat: seat, isSecure: true)
            }
        }
        try pipeline.addHandler(NIOSSLServerHandler(context: tls.current))
        try pipeline.addHandler(waiting)
        try pipeline.addHandler(negotiation)
        return negotiation.protocolNegotiationResult.flatMap { $0 }
    }
}

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

    func restingSince(now: NIODeadline) -> NIODeadline? {
        now - startedAt >= Self.patience ? startedAt : nil
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
