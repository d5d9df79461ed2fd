import NIOCore

/// Stands where the bytes are: counts what comes in, swallows it once a connection only lingers,
/// takes usual requests the quick way round the HTTP decoder, sends what goes round the HTTP
/// encoder, and decides when more is read.
///
/// Automatic reading is off. It would ask every handler from the far end each time, and the
/// pipelining handler would refuse while a batch waits for its commit, which costs two system
/// calls a request (the socket taken out of the poll set and put back). So the next read is asked
/// for here, one ahead of the answer that is due: a client that waits for its answers sends
/// nothing meanwhile, and one that doesn't gets no second read before its answers have caught up.
final class WireHandler: ChannelInboundHandler, RemovableChannelHandler, Wire {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = IOData

    private let loop: EdgeLoop
    var ingest: IngestHandler?
    private(set) var context: ChannelHandlerContext?
    private(set) var receivedBytes = 0
    /// Looked at by ``ReadyAnswerHandler``.
    var ready: ByteBuffer?
    let isStream = false
    private var swallowedBytesLeft: Int?
    /// Requests take the quick way; see `WireHandler+Quick`.
    var isQuick = true
    var quick = QuickWay()
    private var hasReadAhead = false
    private var isReadOwed = false

    init(loop: EdgeLoop) {
        self.loop = loop
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    /// To be called on a connection that was active before this handler was there.
    func begin() {
        context?.read()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        context.fireChannelActive()
        context.read()
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
        if isQuick {
            quick.append(unwrapInboundIn(data))
            takeOn()
        } else {
            context.fireChannelRead(data)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if isQuick {
            ingest?.flushIfNeeded()
        } else {
            context.fireChannelReadComplete()
            ingest?.lookAtChunks()
        }
        readOn(context)
    }

    private func readOn(_ context: ChannelHandlerContext) {
        switch ingest?.appetite ?? .nothing {
        case .nothing:
            isReadOwed = true
        case .more:
            hasReadAhead = false
            context.read()
        case .onceMore where hasReadAhead:
            isReadOwed = true
        case .onceMore:
            hasReadAhead = true
            context.read()
        case .asRouterLikes:
            hasReadAhead = false
            context.channel.read()
        }
    }

    func readOnIfOwed(isDrained: Bool) {
        if isDrained { hasReadAhead = false }
        guard isReadOwed, let context else { return }
        isReadOwed = false
        readOn(context)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is ChannelShouldQuiesceEvent:
            // Not for the pipelining handler: it would close an idle connection at once, under a
            // request that is on its way or takes the quick way.
            if let ingest {
                ingest.drain()
                return
            }
        case ChannelEvent.inputClosed where isQuick:
            quick.isInputClosed = true
            takeOn()
            return
        default:
            break
        }
        context.fireUserInboundEventTriggered(event)
    }

    func swallow(bytesMax: Int) {
        if swallowedBytesLeft == nil { swallowedBytesLeft = bytesMax }
        quick.bytes = nil
    }

    func flush() {
        context?.flush()
    }

    func write(_ bytes: ByteBuffer, promise: EventLoopPromise<Void>?) {
        guard let context else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        context.write(wrapOutboundOut(.byteBuffer(bytes)), promise: promise)
    }

    func waitingBytes(_ context: ChannelHandlerContext) -> Int {
        (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }

    /// Its own channel counts.
    func countUnsent(_ change: Int) {}

    func closeSending(_ context: ChannelHandlerContext) {
        context.close(mode: .output, promise: nil)
    }
}
