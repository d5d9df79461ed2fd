import NIOCore
import NIOHTTP1
import NIOPosix

/// An HTTP server that reads and discards each body and sends a fixed 200. It shows what the
/// network, the kernel and NIO cost by themselves.
///
/// It has as many event loops as Sluice has by default: one per core. The pipeline is an encoder,
/// a decoder and this file's handler; only HTTP is parsed.
enum DiscardServer {
    /// Listens on loopback, passes the port to `announce`, and stops when `untilClosed` returns.
    static func run(loops: Int, announce: (Int) -> Void, untilClosed: () -> Void) throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: loops)
        let channel = try ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(HTTPResponseEncoder())
                    try pipeline.addHandler(ByteToMessageHandler(HTTPRequestDecoder()))
                    try pipeline.addHandler(DiscardHandler())
                }
            }
            .childChannelOption(.socketOption(.tcp_nodelay), value: 1)
            .bind(host: "127.0.0.1", port: 0).wait()
        announce(channel.localAddress?.port ?? 0)
        untilClosed()
        try channel.close().wait()
        try group.syncShutdownGracefully()
    }
}

/// Answers each request at its end.
private final class DiscardHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// As long as Sluice's answer to three readings.
    private static let body = ByteBuffer(
        string: #"{"status":"accepted","records":3,"stored":3,"duplicates":0,"quarantined":0}"#)
    private static let head = HTTPResponseHead(
        version: .http1_1, status: .ok,
        headers: [
            "Content-Type": "application/json", "Content-Length": "\(body.readableBytes)",
            "X-Durability": "committed",
        ])

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .end = unwrapInboundIn(data) else { return }
        context.write(wrapOutboundOut(.head(Self.head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(Self.body))), promise: nil)
        context.write(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.flush()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
