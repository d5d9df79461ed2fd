import NIOCore

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
        while isQuick, let context, let ingest, let bytes = quick.bytes.take() {
            if let left = quick.bodyBytesLeft {
                takeBody(bytes, bytesMax: left, ingest, context)
            } else if ingest.machine.phase == .idle {
                guard takeHead(bytes, ingest, context) else { return }
            } else {
                quick.bytes = bytes
                return
            }
        }
    }

    /// - Returns: false when there is not enough of it.
    private func takeHead(
        _ bytes: ByteBuffer, _ ingest: IngestHandler, _ context: ChannelHandlerContext
    ) -> Bool {
        let configuration = ingest.loop.configuration
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
            ingest.quickHeadArrived(head)
            if bodyBytes == 0 { endBody(ingest, context) }
        }
        return true
    }

    private func takeBody(
        _ bytes: ByteBuffer, bytesMax: Int, _ ingest: IngestHandler,
        _ context: ChannelHandlerContext
    ) {
        let count = min(bytes.readableBytes, bytesMax)
        quick.bodyBytesLeft = bytesMax - count
        keepRest(of: bytes, from: count)
        ingest.bodyArrived(bytes.getSlice(at: bytes.readerIndex, length: count) ?? ByteBuffer())
        if count == bytesMax { endBody(ingest, context) }
    }

    private func keepRest(of bytes: ByteBuffer, from offset: Int) {
        guard offset < bytes.readableBytes else { return }
        var rest = bytes
        rest.moveReaderIndex(forwardBy: offset)
        quick.bytes = rest
    }

    private func endBody(_ ingest: IngestHandler, _ context: ChannelHandlerContext) {
        quick.bodyBytesLeft = nil
        ingest.endArrived(context)
    }

    func answerWritten() {
        takeOn()
        readOnIfOwed(isDrained: quick.bytes == nil && ingest?.machine.phase == .idle)
    }

    private func tellInputClosed() {
        guard let context, let ingest else { return }
        if quick.bodyBytesLeft != nil {
            quick.bodyBytesLeft = nil
            ingest.nothingMoreCanBeRead(.bodyIncomplete, context)
            ingest.flushIfNeeded()
        } else if let bytes = quick.bytes {
            // A request waits for the answer to the one before, or there is a piece of a head.
            guard ingest.machine.phase == .idle else { return }
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
