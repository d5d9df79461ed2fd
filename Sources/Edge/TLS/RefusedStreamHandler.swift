import NIOCore
import NIOHTTP2

/// Refuses one HTTP/2 stream too many. Nothing of it is looked at, so that a client may ask again
/// whatever it has asked for (RFC 9113, section 8.7).
final class RefusedStreamHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    func channelActive(context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(.rstStream(.refusedStream)), promise: nil)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}
}
