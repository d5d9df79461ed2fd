import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOSSL

/// Stands before the HTTP/2 handler and drops all input once the connection is to end.
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

    /// A client that closes without a TLS goodbye is no error; the end of input is reported in any
    /// case.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if case .uncleanShutdown = error as? NIOSSLError { return }
        context.fireErrorCaught(error)
    }
}
