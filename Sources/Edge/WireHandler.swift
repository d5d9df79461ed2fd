import NIOCore

/// Stands where the bytes are: counts what comes in, swallows it once a connection only lingers, and
/// sends what goes round the HTTP encoder.
final class WireHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = IOData

    private let loop: EdgeLoop
    /// Set while both are in the pipeline.
    weak var ingest: IngestHandler?
    private var context: ChannelHandlerContext?
    /// Bytes received on this connection.
    private(set) var receivedBytes = 0
    private var swallowedBytesLeft: Int?

    init(loop: EdgeLoop) {
        self.loop = loop
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data).readableBytes
        receivedBytes += bytes
        loop.countReceived(bytes: bytes)
        if let left = swallowedBytesLeft {
            swallowedBytesLeft = left - bytes
            if left < bytes { context.close(promise: nil) }
            return
        }
        context.fireChannelRead(data)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent { ingest?.drain() }
        context.fireUserInboundEventTriggered(event)
    }

    /// Nothing that comes from now on is looked at; beyond `bytesMax` the connection is cut.
    func swallow(bytesMax: Int) {
        if swallowedBytesLeft == nil { swallowedBytesLeft = bytesMax }
    }

    /// Sends bytes as they are.
    func write(_ bytes: ByteBuffer, promise: EventLoopPromise<Void>?) {
        guard let context else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        context.write(wrapOutboundOut(.byteBuffer(bytes)), promise: promise)
    }
}
