import NIOCore
import NIOSSL

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
