import NIOCore

/// Lets a TLS connection that the server closes end with the client's goodbye.
///
/// While half-closure is allowed, NIO's TLS handler takes a goodbye that answers its own for the
/// client's half-closure, and ends the connection only after its time-out of five seconds.
/// Nothing is lost: a client says its goodbye after it has read all that precedes ours.
final class GoodbyeHandler: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode == .all {
            try? context.channel.syncOptions?.setOption(.allowRemoteHalfClosure, value: false)
        }
        context.close(mode: mode, promise: promise)
    }
}
