import NIOCore
import NIOHTTP2

/// Refuses an HTTP/2 stream beyond the limit. Nothing of it is processed, so the client may retry
/// any request (RFC 9113, section 8.7).
final class RefusedStreamHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    func channelActive(context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(.rstStream(.refusedStream)), promise: nil)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}
}
