import HummingbirdCore
import Instruments
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// Builds the pipeline of each accepted connection and runs the router's side of it.
///
/// Hummingbird's own connection handler has no place here: it neither sees requests to `/ingest`
/// nor passes on that a connection is gone, and time-outs and draining are ours.
struct EdgeChannel: HTTPChannelHandler {
    /// What a connection has become. A WebSocket will be one more.
    enum Connection: Sendable {
        case http(NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>)
        /// One too many: told so and about to be closed.
        case refused
    }

    struct Value: ServerChildChannelValue {
        let connection: Connection
        let channel: any Channel
    }

    let responder: Responder
    let loops: EdgeLoops

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let loop = loops[channel.eventLoop]
            try channel.syncOptions?.setOption(.autoRead, value: false)
            let isRoom = loop.instruments.connections.value < loop.configuration.connectionsMax
            let connection =
                isRoom
                ? Connection.http(try Self.addHandlers(to: channel, loop: loop))
                : .refused
            if !isRoom {
                try channel.pipeline.syncOperations.addHandler(RefusedConnectionHandler(loop: loop))
            }
            return Value(connection: connection, channel: channel)
        }
    }

    private static func addHandlers(
        to channel: any Channel, loop: EdgeLoop
    ) throws -> NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart> {
        let pipeline = channel.pipeline.syncOperations
        try addIngestHandlers(to: pipeline, loop: loop)
        try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
        return try NIOAsyncChannel(
            wrappingChannelSynchronously: channel,
            configuration: .init(isOutboundHalfClosureEnabled: true))
    }

    /// Everything in front of the router's side; all of it is synchronous.
    static func addIngestHandlers(
        to pipeline: ChannelPipeline.SynchronousOperations, loop: EdgeLoop
    ) throws {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = loop.configuration.headBytesMax
        limits.maxHeaderListSize = loop.configuration.headBytesMax
        limits.maxHeaderFieldCount = loop.configuration.headFieldsMax
        let wire = WireHandler(loop: loop)
        let ready = ReadyAnswerHandler(wire: wire)
        try pipeline.addHandler(wire)
        try pipeline.addHandler(HTTPResponseEncoder())
        try pipeline.addHandler(
            ByteToMessageHandler(HTTPRequestDecoder(limitConfiguration: limits)))
        try pipeline.addHandler(ready)
        try pipeline.addHandler(HTTPServerPipelineHandler())
        // A WebSocket's upgrade handler will stand here.
        try pipeline.addHandler(IngestHandler(loop: loop, wire: wire, ready: ready))
    }

    func handle(value: Value, logger: Logger) async {
        switch value.connection {
        case .http(let channel):
            await handleHTTP(asyncChannel: channel, logger: logger)
        case .refused:
            try? await value.channel.closeFuture.get()
        }
    }
}
