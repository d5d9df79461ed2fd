import Instruments
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOSSL

/// An HTTP/2 connection (RFC 9113). Each stream is handled like an HTTP/1.1 connection with one
/// request, behind a codec of NIO that turns its frames into HTTP/1.1 parts.
///
/// - `POST /ingest` uses the same ``ConnectionHandler``, but not the quick path, since a head comes
///   in frames and compressed.
/// - Limits: ``TLSConfiguration/streamsMax`` streams at a time; the limits of heads as for
///   HTTP/1.1; and NIO's limits against cheap attacks: 200 resets, 200 stream errors and 200
///   settings or pings within 30 seconds, empty and continuation frames in a row. Beyond them the
///   connection ends with a GOAWAY that says why, as with any connection error.
/// - Once ``HTTPConfiguration/streamedUnsentBytesMax`` bytes of answers are unsent in its streams,
///   new streams are refused.
/// - ``StreamedConnectionState`` decides when the connection ends.
enum StreamedConnection {
    typealias Stream = EventLoopFuture<HTTPChildChannel.Connection>

    static func begin(
        on channel: any Channel, configuration: TLSConfiguration, loop: ConnectionLoop,
        seat: ConnectionSeat
    ) throws -> EventLoopFuture<HTTPChildChannel.Connection> {
        let pipeline = channel.pipeline.syncOperations
        let input = StreamsInput()
        let connection = StreamedConnectionHandler(loop: loop, input: input, seat: seat)
        seat.occupy(connection)
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
        _ configuration: TLSConfiguration, _ edge: HTTPConfiguration
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
        _ stream: any Channel, of connection: StreamedConnectionHandler, loop: ConnectionLoop
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
