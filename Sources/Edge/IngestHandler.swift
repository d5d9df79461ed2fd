import Ingestion
import Instruments
import Logging
import NIOCore
import NIOHTTP1

/// Answers `POST /ingest` on one connection and lets everything else pass to the router behind it.
///
/// It does what ``RequestStateMachine`` decides. What the hazards are:
/// - Writing an answer's end lets the pipelining handler deliver the next request *inside that
///   write*. If that one were answered in there too, a client could drive the recursion as deep
///   as it has pipelined requests. So an answer that becomes due during such a write waits in
///   `deferred` until the write has returned.
/// - The client's half-close is not passed on: the router's side would close the connection under
///   an answer that is still to come.
/// - A lane's outcome may come after the client has gone; the ticket then names no handler.
final class IngestHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    let loop: EdgeLoop
    let wire: WireHandler
    private let ready: ReadyAnswerHandler
    private(set) var context: ChannelHandlerContext?
    var machine: RequestStateMachine
    /// Where the loop's list has it; the loop's business.
    var placeInLoop = -1

    /// While the body is coming.
    var request: IngestRequest?
    /// While a lane has the batch.
    var ticket: UInt64?
    /// How the present request's answer has to end.
    var connectionHeader = ConnectionHeader.none
    var isHeadMethod = false
    private var speaksOldHTTP = false
    private var route = Route.other

    private var isWritingEnd = false
    private var deferred: Answer?
    private var needsFlush = false
    private var hasForwarded = false
    private var isReadHeld = false
    private var unwritableSince: NIODeadline?

    private static let placeholder = HTTPServerResponsePart.head(
        HTTPResponseHead(version: .http1_1, status: .ok))
    private static let continuing = HTTPServerResponsePart.head(
        HTTPResponseHead(version: .http1_1, status: .continue))

    init(loop: EdgeLoop, wire: WireHandler, ready: ReadyAnswerHandler) {
        self.loop = loop
        self.wire = wire
        self.ready = ready
        machine = RequestStateMachine(limits: loop.machineLimits, now: loop.eventLoop.now)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        wire.ingest = self
        loop.add(self)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        letGo()
        wire.ingest = nil
        self.context = nil
        loop.remove(self)
    }

    func channelInactive(context: ChannelHandlerContext) {
        letGo()
        context.fireChannelInactive()
    }

    /// The connection is gone: gives back all that is held for its request.
    private func letGo() {
        guard machine.phase != .closed else { return }
        if machine.isAwaited { loop.instruments.requestsAborted.increment() }
        machine.closed()
        deferred = nil
        abandonRequest()
        if let ticket = ticket.take() { loop.forget(ticket) }
    }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard machine.isOpen else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            headArrived(head, data, context)
        case .body(let chunk):
            switch machine.bodyArrived(bytes: chunk.readableBytes) {
            case .scan: scan(chunk)
            case .forward: forward(data, context)
            case .swallow: break
            }
        case .end:
            switch machine.endArrived(now: loop.lastNow) {
            case .finish: finishRequest()
            case .forward: forward(data, context)
            case .linger: linger(context)
            case .nothing: break
            }
        }
    }

    private func headArrived(
        _ head: HTTPRequestHead, _ data: NIOAny, _ context: ChannelHandlerContext
    ) {
        let now = loop.readClock()
        let read = IngestHead(head)
        route = Route(uri: head.uri)
        speaksOldHTTP = head.version.minor == 0
        isHeadMethod = head.method == .HEAD
        if route == .ingest {
            if judge(read, now: now) { sendContinue(context) }
        } else {
            if machine.forward(read.framing, now: now) { sendContinue(context) }
            forward(data, context)
        }
    }

    private func sendContinue(_ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(Self.continuing), promise: nil)
    }

    private func forward(_ data: NIOAny, _ context: ChannelHandlerContext) {
        hasForwarded = true
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        flushIfNeeded()
        // The router's side need not hear of requests that it has not seen.
        if hasForwarded {
            hasForwarded = false
            context.fireChannelReadComplete()
        }
    }

    // MARK: Answers

    /// Answers the present request, whose phase is `settling`.
    func answer(_ failure: Failure, _ persistence: RequestStateMachine.Persistence) {
        loop.logger.debug("refused", metadata: ["failure": "\(failure)"])
        write(loop.answer(failure, header(persistence), isHead: isHeadMethod))
    }

    func header(_ persistence: RequestStateMachine.Persistence) -> ConnectionHeader {
        switch persistence {
        case .close: .close
        case .keep: speaksOldHTTP ? .keepAlive : .none
        }
    }

    func write(_ answer: Answer) {
        guard !isWritingEnd else {
            precondition(deferred == nil, "BUG: two answers at once")
            deferred = answer
            return
        }
        writeNow(answer)
        writeDeferred()
    }

    private func writeDeferred() {
        while let answer = deferred.take() { writeNow(answer) }
    }

    private func writeNow(_ answer: Answer) {
        guard let context else { return }
        if route == .ingest && answer.status == 200 {
            loop.instruments.ingested.increment()
        } else {
            loop.instruments.answered(route, status: answer.status)
        }
        ready.bytes = answer.bytes
        context.write(wrapOutboundOut(Self.placeholder), promise: nil)
        let next = machine.answerWritten(now: loop.lastNow)
        needsFlush = true
        writeEnd(wrapOutboundOut(.end(nil)), context, promise: nil)
        if next == .linger { linger(context) }
    }

    private func writeEnd(
        _ end: NIOAny, _ context: ChannelHandlerContext, promise: EventLoopPromise<Void>?
    ) {
        isWritingEnd = true
        context.write(end, promise: promise)
        isWritingEnd = false
    }

    func flushIfNeeded() {
        guard needsFlush, let context else { return }
        needsFlush = false
        context.flush()
    }

    /// Says goodbye in a way that lets the client read what it was told: the sending side is closed,
    /// what still comes is swallowed, within limits.
    private func linger(_ context: ChannelHandlerContext) {
        deferred = nil
        needsFlush = false
        context.flush()
        wire.swallow(bytesMax: loop.configuration.lingerBytesMax)
        context.close(mode: .output, promise: nil)
    }

    // MARK: The router's answers

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard machine.phase == .forwarding else {
            // The request has been answered in the router's place, for it came too slowly.
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        switch unwrapOutboundIn(data) {
        case .head(var head) where head.status.code >= 200:
            loop.instruments.answered(route, status: Int(head.status.code))
            switch header(machine.routerAnswers()) {
            case .none:
                context.write(data, promise: promise)
                return
            case .keepAlive: head.headers.replaceOrAdd(name: "connection", value: "keep-alive")
            case .close: head.headers.replaceOrAdd(name: "connection", value: "close")
            }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .head, .body:
            context.write(data, promise: promise)
        case .end:
            let next = machine.routerAnswerWritten(now: loop.lastNow)
            writeEnd(data, context, promise: promise)
            if next == .linger { linger(context) }
            writeDeferred()
            flushIfNeeded()
        }
    }

    // MARK: The connection

    /// The server is stopping.
    func drain() {
        machine.drain()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .some(.inputClosed) = event as? ChannelEvent else {
            context.fireUserInboundEventTriggered(event)
            return
        }
        switch machine.inputClosed() {
        case .close: context.close(promise: nil)
        case .nothing: break
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? HTTPParserError else {
            if error is ByteToMessageDecoderError { return }
            context.fireErrorCaught(error)
            return
        }
        guard context.channel.isActive else { return }
        let wasReceiving = machine.phase == .receiving
        switch machine.parseFailed() {
        case .answer:
            abandonRequest()
            answer(Self.failure(of: error, wasReceiving: wasReceiving), .close)
        case .linger:
            linger(context)
        case .nothing:
            break
        }
    }

    private static func failure(of error: HTTPParserError, wasReceiving: Bool) -> Failure {
        switch error {
        case .headerOverflow: .headTooLarge
        case .invalidEOFState where wasReceiving: .bodyIncomplete
        default: .requestMalformed
        }
    }

    // MARK: Room to write

    /// A client that sends but does not read must not fill our memory with answers.
    func read(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            context.read()
        } else {
            isReadHeld = true
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            unwritableSince = nil
            if isReadHeld {
                isReadHeld = false
                context.read()
            }
        } else if unwritableSince == nil {
            unwritableSince = loop.lastNow
        }
        context.fireChannelWritabilityChanged()
    }

    // MARK: Time

    /// Looks for what has timed out.
    func tick(now: NIODeadline) {
        guard let context else { return }
        if let since = unwritableSince, now - since >= loop.sendTimeout {
            context.close(promise: nil)
            return
        }
        switch machine.tick(now: now, wireBytes: wire.receivedBytes) {
        case .nothing:
            return
        case .close:
            context.close(promise: nil)
        case .answerLateHead:
            loop.instruments.answered(.other, status: Failure.headTimedOut.status)
            wire.write(loop.answer(.headTimedOut, .close).bytes, promise: nil)
            linger(context)
        case .answer(.body, let persistence):
            abandonRequest()
            answer(.bodyTimedOut, persistence)
        case .answer(.acknowledgement, let persistence):
            giveUpOnAcknowledgement(persistence)
        }
        flushIfNeeded()
    }
}
