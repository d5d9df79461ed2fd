import NIOCore
import NIOSSL
import NIOTLS

/// A connection that begins with a TLS handshake, which also negotiates HTTP/1.1 or HTTP/2 (ALPN,
/// RFC 7301).
enum SecureConnection {
    static func begin(
        on channel: any Channel, tls: TLSContext, loop: ConnectionLoop, seat: ConnectionSeat
    ) throws -> EventLoopFuture<HTTPChildChannel.Connection> {
        let pipeline = channel.pipeline.syncOperations
        let waiting = HandshakeHandler(timeout: TimeAmount(tls.configuration.handshakeTimeout))
        seat.occupy(waiting)
        // The negotiation adds the handlers of its protocol at once; what the connection becomes is
        // decided later.
        typealias Becoming = EventLoopFuture<HTTPChildChannel.Connection>
        let negotiation = NIOTypedApplicationProtocolNegotiationHandler<Becoming> { result in
            waiting.end()
            return channel.eventLoop.makeCompletedFuture {
                result == .negotiated("h2")
                    ? try StreamedConnection.begin(
                        on: channel, configuration: tls.configuration, loop: loop, seat: seat)
                    : try HTTPChildChannel.addHandlers(
                        to: channel, loop: loop, seat: seat, isSecure: true)
            }
        }
        try pipeline.addHandler(NIOSSLServerHandler(context: tls.current))
        try pipeline.addHandler(GoodbyeHandler())
        try pipeline.addHandler(waiting)
        try pipeline.addHandler(negotiation)
        return negotiation.protocolNegotiationResult.flatMap { $0 }
    }
}
