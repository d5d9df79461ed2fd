import Instruments
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOSSL

/// An HTTP/2 connection (RFC 9113): each stream goes the way of an HTTP/1.1 connection that has one
/// request, behind a codec of NIO's that makes its frames into HTTP/1.1's parts.
///
/// - `POST /ingest` is the same ``ConnectionHandler``; only the quick way is not there, since a head
///   comes in frames and compressed.
/// - Limits: ``TLSConfiguration/streamsMax`` streams at a time, the head's limits as everywhere, and
///   NIO's of what an attacker would send cheaply: 200 resets, 200 stream errors and 200 settings or
///   pings within 30 seconds, empty and continuation frames in a row. Beyond them the connection
///   ends, as with any error of its own: with one GOAWAY that says so.
/// - Answers that wait in its streams: ``EdgeConfiguration/streamedUnsentBytesMax``, then a new stream
///   is refused.
/// - When it ends is ``StreamedConnectionState``'s.
enum StreamedConnection {
    typealias Stream = EventLoopFuture<EdgeChannel.Connection>

    static func begin(
        on channel: any Channel, configuration: TLSConfiguration, loop: EdgeLoop
    ) throws -> EventLoopFuture<EdgeChannel.Connection> {
        let pipeline = channel.pipeline.syncOperations
        let input = StreamsInput()
        let connection = StreamedConnectionHandler(loop: loop, input: input)
        let delegate = StreamedConnectionDelegate(connection, on: channel.eventLoop)
        let bound = NIOLoopBound(connection, eventLoop: channel.eventLoop)
        try pipeline.addHandler(input)
        let multiplexer = try pipeline.configureAsyncHTTP2Pipeline(
            mode: .server, streamDelegate: delegate, frameDelegate: delegate,
            configuration: Self.settings(configuration, loop.configuration)
        ) { stream in
            stream.eventLoop.makeCompletedFuture {
                try addStream(stream, of: bound.value, loop: loop)
            }
        }
        try pipeline.addHandler(connection)
        return channel.eventLoop.makeSucceededFuture(.http2(multiplexer))
    }

    private static func settings(
        _ configuration: TLSConfiguration, _ edge: EdgeConfiguration
    ) -> NIOHTTP2Handler.Configuration {
        var settings = NIOHTTP2Handler.Configuration()
        settings.connection.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: configuration.streamsMax),
            HTTP2Setting(parameter: .maxHeaderListSize, value: edge.headBytesMax),
            HTTP2Setting(parameter: .initialWindowSize, value: configuration.streamWindowBytes),
        ]
        settings.connection.targetWindowSize = 4 * configuration.streamWindowBytes
        settings.stream.targetWindowSize = configuration.streamWindowBytes
        settings.stream.outboundBufferSizeHighWatermark = 64 * 1024
        settings.stream.outboundBufferSizeLowWatermark = 32 * 1024
        return settings
    }

    private static func addStream(
        _ stream: any Channel, of connection: StreamedConnectionHandler, loop: EdgeLoop
    ) throws -> Stream {
        let pipeline = stream.pipeline.syncOperations
        guard connection.hasRoom else {
            loop.instruments.streamsRefused.increment()
            try pipeline.addHandler(RefusedStreamHandler())
            return stream.eventLoop.makeSucceededFuture(.ended)
        }
        try stream.syncOptions?.setOption(.autoRead, value: false)
        let fate = ConnectionFate(eventLoop: stream.eventLoop, isSecure: true)
        let wire = StreamWire(loop: loop, connection: connection)
        let handler = ConnectionHandler(loop: loop, wire: wire)
        handler.fate = fate
        try pipeline.addHandler(HTTP2FramePayloadToHTTP1ServerCodec())
        try pipeline.addHandler(wire)
        try pipeline.addHandler(handler)
        return fate.future
    }
}

/// Stands in front of HTTP/2, and lets nothing in any more once the connection is to end.
final class StreamsInput: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private var isShut = false

    func shut() {
        isShut = true
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if !isShut { context.fireChannelRead(data) }
    }

    /// A client that goes without a goodbye is no error, and its input's end is told in any case.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if case .uncleanShutdown = error as? NIOSSLError { return }
        context.fireErrorCaught(error)
    }
}
