import HummingbirdCore
import Instruments
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOHTTPTypes

/// Builds the pipeline of each accepted connection and runs the router's side of it.
///
/// Hummingbird's own connection handler is not used: it does not see requests to `/ingest`, and
/// does not forward that a connection is gone. Time-outs and draining are ours.
struct HTTPChildChannel: HTTPChannelHandler {
    /// What a connection has become.
    enum Connection: Sendable {
        /// The router serves some of its requests.
        case http(NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>)
        /// HTTP/2; each stream becomes a connection of its own.
        case http2(NIOHTTP2Handler.AsyncStreamMultiplexer<EventLoopFuture<Connection>>)
        /// Handled on its event loop until it closes.
        case handled
        case ended
    }

    struct Value: ServerChildChannelValue {
        let connection: EventLoopFuture<Connection>
        let channel: any Channel
    }

    let responder: Responder
    let loops: ConnectionLoops
    /// Certificate and key at the time; nil means no TLS.
    let tls: TLSContext?

    init(responder: @escaping Responder, loops: ConnectionLoops, tls: TLSContext? = nil) {
        self.responder = responder
        self.loops = loops
        self.tls = tls
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let loop = loops[channel.eventLoop]
            guard let seat = loops.seat(for: ClientAddress(channel), on: loop) else {
                loop.instruments.connectionsRefused.increment()
                channel.close(promise: nil)
                return Value(
                    connection: channel.eventLoop.makeSucceededFuture(.ended), channel: channel)
            }
            channel.closeFuture.assumeIsolated().whenComplete { _ in loop.leave(seat) }
            let connection =
                if let tls {
                    try SecureConnection.begin(on: channel, tls: tls, loop: loop, seat: seat)
                } else {
                    try Self.addHandlers(to: channel, loop: loop, seat: seat, isSecure: false)
                }
            return Value(connection: connection, channel: channel)
        }
    }

    /// Adds the HTTP/1.1 handlers to a connection that is active or about to be.
    static func addHandlers(
        to channel: any Channel, loop: ConnectionLoop, seat: ConnectionSeat, isSecure: Bool
    ) throws -> EventLoopFuture<Connection> {
        try channel.syncOptions?.setOption(.autoRead, value: false)
        let fate = ConnectionFate(eventLoop: channel.eventLoop, isSecure: isSecure)
        let wire = try addConnectionHandlers(
            to: channel.pipeline.syncOperations, loop: loop, seat: seat, fate: fate)
        if channel.isActive { wire.begin() }
        return fate.future
    }

    /// Adds everything before the router's side; all of it is synchronous.
    @discardableResult
    static func addConnectionHandlers(
        to pipeline: ChannelPipeline.SynchronousOperations, loop: ConnectionLoop,
        seat: ConnectionSeat, fate: ConnectionFate? = nil
    ) throws -> WireHandler {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = loop.configuration.headBytesMax
        limits.maxHeaderListSize = loop.configuration.headBytesMax
        limits.maxHeaderFieldCount = loop.configuration.headFieldsMax
        let wire = WireHandler(loop: loop, seat: seat)
        let handler = ConnectionHandler(loop: loop, wire: wire)
        handler.fate = fate
        seat.occupy(handler)
        try pipeline.addHandler(wire)
        try pipeline.addHandler(HTTPResponseEncoder())
        // Bytes behind an upgrade request are forwarded when the decoder is removed from the
        // pipeline.
        try pipeline.addHandler(
            ByteToMessageHandler(
                HTTPRequestDecoder(
                    leftOverBytesStrategy: .forwardBytes, limitConfiguration: limits)))
        try pipeline.addHandler(ReadyAnswerHandler(wire: wire))
        try pipeline.addHandler(HTTPServerPipelineHandler())
        try pipeline.addHandler(handler)
        return wire
    }

    func handle(value: Value, logger: Logger) async {
        let channel = value.channel
        await withTaskCancellationHandler {
            await serve(value.connection, of: channel, logger)
            // TLS needs time to close, and the event loops may end once no connection is served.
            channel.close(promise: nil)
            try? await channel.closeFuture.get()
        } onCancel: {
            // Cancelled: the connection is closed in every state.
            channel.close(promise: nil)
        }
    }

    private func serve(
        _ connection: EventLoopFuture<Connection>, of channel: any Channel, _ logger: Logger
    ) async {
        switch try? await connection.get() {
        case .http(let router):
            await handleHTTP(asyncChannel: router, logger: logger)
        case .http2(let multiplexer):
            await serveStreams(of: multiplexer, logger)
        case .handled:
            try? await channel.closeFuture.get()
        case .ended, nil:
            break
        }
    }

    private func serveStreams(
        of multiplexer: NIOHTTP2Handler.AsyncStreamMultiplexer<EventLoopFuture<Connection>>,
        _ logger: Logger
    ) async {
        await withDiscardingTaskGroup { streams in
            do {
                for try await stream in multiplexer.inbound {
                    streams.addTask {
                        if case .http(let router) = try? await stream.get() {
                            await handleHTTP(asyncChannel: router, logger: logger)
                        }
                    }
                }
            } catch {
                logger.debug(
                    "the streams of an HTTP/2 connection ended", metadata: ["error": "\(error)"])
            }
        }
    }
}
