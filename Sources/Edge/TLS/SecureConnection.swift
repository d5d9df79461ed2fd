import NIOCore
import NIOSSL
import NIOTLS

/// A connection that begins with a TLS handshake, and in it chooses between HTTP/1.1 and HTTP/2
/// (ALPN, RFC 7301).
enum SecureConnection {
    static func begin(
        on channel: any Channel, tls: TLSContext, loop: EdgeLoop
    ) throws -> EventLoopFuture<EdgeChannel.Connection> {
        let pipeline = channel.pipeline.syncOperations
        let waiting = HandshakeHandler(timeout: TimeAmount(tls.configuration.handshakeTimeout))
        // Once it is decided which handlers come, they are there; what they will make of the
        // connection is known later.
        typealias Becoming = EventLoopFuture<EdgeChannel.Connection>
        let negotiation = NIOTypedApplicationProtocolNegotiationHandler<Becoming> { result in
            waiting.end()
            return channel.eventLoop.makeCompletedFuture {
                result == .negotiated("h2")
                    ? try StreamedConnection.begin(
                        on: channel, configuration: tls.configuration, loop: loop)
                    : try EdgeChannel.addHandlers(to: channel, loop: loop, isSecure: true)
            }
        }
        try pipeline.addHandler(NIOSSLServerHandler(context: tls.current))
        try pipeline.addHandler(waiting)
        try pipeline.addHandler(negotiation)
        return negotiation.protocolNegotiationResult.flatMap { $0 }
    }
}
