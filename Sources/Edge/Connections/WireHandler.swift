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
    var handler: ConnectionHandler?
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
            handler?.flushIfNeeded()
        } else {
            context.fireChannelReadComplete()
            handler?.lookAtChunks()
        }
        readOn(context)
    }

    private func readOn(_ context: ChannelHandlerContext) {
        switch handler?.appetite ?? .nothing {
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
            if let handler {
                handler.drain()
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

/// What stands between ``ConnectionHandler`` and the bytes of its connection, or of its HTTP/2 stream.
protocol Wire: AnyObject {
    /// Set while both are in the pipeline.
    var handler: ConnectionHandler? { get set }
    /// Bytes received so far.
    var receivedBytes: Int { get }
    /// Requests go round HTTP's machinery.
    var isQuick: Bool { get }
    /// One request and no more: a stream of a connection that is counted elsewhere.
    var isStream: Bool { get }
    /// The answer whose head and end are about to pass, as HTTP/1.1 bytes.
    var ready: ByteBuffer? { get set }

    /// Sends bytes as they are, past the HTTP encoder.
    func write(_ bytes: ByteBuffer, promise: EventLoopPromise<Void>?)
    func flush()

    /// A request that came the quick way has its answer.
    func answerWritten()

    /// What made a read wait may have changed.
    ///
    /// - Parameter isDrained: all that has been read is answered.
    func readOnIfOwed(isDrained: Bool)

    /// Nothing that comes from now on is looked at; beyond `bytesMax` the connection is cut.
    func swallow(bytesMax: Int)

    /// What the client has not taken yet, as far as it can be known.
    func waitingBytes(_ context: ChannelHandlerContext) -> Int

    /// The router has written so much of an answer; or, negative, the client has taken it.
    func countUnsent(_ change: Int)

    /// No more will be sent.
    func closeSending(_ context: ChannelHandlerContext)
}

/// What is under way on the quick way of one connection.
struct QuickWay {
    /// What has come and is not yet looked at: pieces of a head, or requests that wait for the
    /// answer to the one before.
    var bytes: ByteBuffer?
    /// Of the present request; nil between requests and while an answer is waited for.
    var bodyBytesLeft: Int?
    /// The client has said that nothing more will come, which has its place behind ``bytes``.
    var isInputClosed = false
    var isTaking = false

    mutating func append(_ buffer: ByteBuffer) {
        var buffer = buffer
        if bytes?.writeBuffer(&buffer) == nil { bytes = buffer }
    }
}

/// The quick way of a batch: its head is recognised in the received bytes, its body is scanned from
/// there, its answer is written as it is; HTTP decoder, pipelining handler and encoder don't see it.
///
/// A connection begins on it and leaves it for good with the first head that is in any way
/// unusual: from that byte on everything goes through the handlers that know all of HTTP. So there
/// is one place where a connection changes over, a request border, and nothing to change back.
extension WireHandler {
    /// Bytes up to which a head is usual.
    private static let headBytesMax = 8 * 1024

    /// Goes on with what has come, as far as the present request's answer allows.
    func takeOn() {
        guard isQuick, !quick.isTaking else { return }
        quick.isTaking = true
        takeAll()
        quick.isTaking = false
        if quick.isInputClosed { tellInputClosed() }
    }

    private func takeAll() {
        while isQuick, let context, let handler, let bytes = quick.bytes.take() {
            if let left = quick.bodyBytesLeft {
                takeBody(bytes, bytesMax: left, handler, context)
            } else if handler.machine.phase == .idle {
                guard takeHead(bytes, handler, context) else { return }
            } else {
                quick.bytes = bytes
                return
            }
        }
    }

    /// - Returns: false when there is not enough of it.
    private func takeHead(
        _ bytes: ByteBuffer, _ handler: ConnectionHandler, _ context: ChannelHandlerContext
    ) -> Bool {
        let configuration = handler.loop.configuration
        let bytesMax = min(Self.headBytesMax, configuration.headBytesMax)
        let fieldsMax = configuration.headFieldsMax
        switch IngestHead.recognise(
            bytes.readableBytesSpan, bytesMax: bytesMax, fieldsMax: fieldsMax)
        {
        case .incomplete:
            quick.bytes = bytes
            return false
        case .unusual:
            leaveQuickWay(with: bytes, context)
        case .head(let head, let headBytes):
            let bodyBytes = head.framing.declaredBytes ?? 0
            quick.bodyBytesLeft = bodyBytes
            keepRest(of: bytes, from: headBytes)
            handler.quickHeadArrived(head)
            if bodyBytes == 0 { endBody(handler, context) }
        }
        return true
    }

    private func takeBody(
        _ bytes: ByteBuffer, bytesMax: Int, _ handler: ConnectionHandler,
        _ context: ChannelHandlerContext
    ) {
        let count = min(bytes.readableBytes, bytesMax)
        quick.bodyBytesLeft = bytesMax - count
        keepRest(of: bytes, from: count)
        handler.bodyArrived(bytes.getSlice(at: bytes.readerIndex, length: count) ?? ByteBuffer())
        if count == bytesMax { endBody(handler, context) }
    }

    private func keepRest(of bytes: ByteBuffer, from offset: Int) {
        guard offset < bytes.readableBytes else { return }
        var rest = bytes
        rest.moveReaderIndex(forwardBy: offset)
        quick.bytes = rest
    }

    private func endBody(_ handler: ConnectionHandler, _ context: ChannelHandlerContext) {
        quick.bodyBytesLeft = nil
        handler.endArrived(context)
    }

    func answerWritten() {
        takeOn()
        readOnIfOwed(isDrained: quick.bytes == nil && handler?.machine.phase == .idle)
    }

    private func tellInputClosed() {
        guard let context, let handler else { return }
        if quick.bodyBytesLeft != nil {
            quick.bodyBytesLeft = nil
            handler.nothingMoreCanBeRead(.bodyIncomplete, context)
            handler.flushIfNeeded()
        } else if let bytes = quick.bytes {
            // A request waits for the answer to the one before, or there is a piece of a head.
            guard handler.machine.phase == .idle else { return }
            leaveQuickWay(with: bytes, context)
        }
        quick.isInputClosed = false
        context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    }

    private func leaveQuickWay(with bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        isQuick = false
        quick.bytes = nil
        context.fireChannelRead(wrapInboundOut(bytes))
        context.fireChannelReadComplete()
    }
}
