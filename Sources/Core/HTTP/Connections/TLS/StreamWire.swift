import NIOCore
import NIOHTTP1

/// The counterpart of ``WireHandler`` and ``ReadyAnswerHandler`` for one HTTP/2 stream: counts
/// bytes, reads as much as is wanted, and splits an answer in HTTP/1.1 form into the parts that the
/// codec in front takes.
final class StreamWire: ChannelDuplexHandler, RemovableChannelHandler, Wire {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let loop: ConnectionLoop
    private let connection: StreamedConnectionHandler
    var handler: ConnectionHandler?
    private var context: ChannelHandlerContext?
    private(set) var receivedBytes = 0
    var ready: ByteBuffer?
    let isQuick = false
    let isStream = true
    var seat: ConnectionSeat { connection.seat }
    private var discardedBytesLeft: Int?
    private var isReadOwed = false
    private var hasEnded = false

    init(loop: ConnectionLoop, connection: StreamedConnectionHandler) {
        self.loop = loop
        self.connection = connection
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelActive(context: ChannelHandlerContext) {
        context.fireChannelActive()
        context.read()
    }

    // MARK: In

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            // The size of the head is no longer known; only that it arrived matters.
            count(head.uri.utf8.count + 1)
        case .body(let bytes):
            count(bytes.readableBytes)
            if let left = discardedBytesLeft {
                discardedBytesLeft = left - bytes.readableBytes
                if left < bytes.readableBytes { context.close(promise: nil) }
                return
            }
        case .end:
            hasEnded = true
            if discardedBytesLeft != nil { return }
        }
        context.fireChannelRead(data)
    }

    /// Fields of which the codec can't make a head.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard context.channel.isActive, let handler, handler.machine.isFirst,
            let place = handler.context
        else {
            context.fireErrorCaught(error)
            return
        }
        handler.nothingMoreCanBeRead(.malformed, place)
        handler.flushIfNeeded()
    }

    private func count(_ bytes: Int) {
        receivedBytes += bytes
        loop.countReceived(bytes: bytes)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        readOn(context)
    }

    private func readOn(_ context: ChannelHandlerContext) {
        guard !hasEnded else { return }
        switch handler?.readDemand ?? .nothing {
        case .nothing, .onceMore: isReadOwed = true
        case .more: context.read()
        case .asRouterLikes: context.channel.read()
        }
    }

    func readOnIfOwed(isDrained: Bool) {
        guard isReadOwed, let context else { return }
        isReadOwed = false
        readOn(context)
    }

    func discard(bytesMax: Int) {
        if discardedBytesLeft == nil { discardedBytesLeft = bytesMax }
    }

    // MARK: Out

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard let bytes = ready else {
            context.write(data, promise: promise)
            return
        }
        guard case .end = unwrapOutboundIn(data) else {
            promise?.succeed()
            return
        }
        ready = nil
        write(bytes, promise: promise)
    }

    func write(_ bytes: ByteBuffer, promise: EventLoopPromise<Void>?) {
        guard let context else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        let (head, body) = Self.parts(of: bytes)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if body.readableBytes > 0 {
            context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        }
        context.write(wrapOutboundOut(.end(nil)), promise: promise)
    }

    /// Splits an answer of ``AnswerWriter``, whose form is known: a status line, fields, an empty
    /// line, the body.
    static func parts(of answer: ByteBuffer) -> (HTTPResponseHead, ByteBuffer) {
        var bytes = answer
        var head = HTTPResponseHead(version: .http2, status: .internalServerError)
        var isFirst = true
        while let end = bytes.readableBytesView.firstIndex(of: UInt8(ascii: "\n")) {
            let line = bytes.readString(length: end - bytes.readerIndex - 1) ?? ""
            bytes.moveReaderIndex(forwardBy: 2)
            if line.isEmpty { break }
            if isFirst {
                isFirst = false
                head.status = HTTPResponseStatus(
                    statusCode: Int(line.split(separator: " ")[1]) ?? 500)
                continue
            }
            guard let colon = line.firstIndex(of: ":") else {
                preconditionFailure("BUG: an answer with a line that is no field")
            }
            let name = String(line[..<colon])
            // HTTP/2 has no such field (RFC 9113, section 8.2.2).
            if name == "connection" { continue }
            head.headers.add(name: name, value: String(line[colon...].dropFirst(2)))
        }
        return (head, bytes)
    }

    func flush() {
        context?.flush()
    }

    func answerWritten() {}

    func hasPartOfHead(since endAtBytes: Int) -> Bool { true }

    /// Does not include the short answers of ``write(_:promise:)``.
    func waitingBytes(_ context: ChannelHandlerContext) -> Int { handler?.unsentBytes ?? 0 }

    func countUnsent(_ change: Int) {
        connection.countUnsent(change)
    }

    /// Nothing to do: the answer's end has closed the stream.
    func closeSending(_ context: ChannelHandlerContext) {}
}
