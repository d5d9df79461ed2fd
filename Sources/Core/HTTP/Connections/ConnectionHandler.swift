import Ingest
import Instruments
import Logging
import NIOCore
import NIOHTTP1

/// Answers requests with readings on one connection, and forwards everything else to the router
/// behind it.
///
/// It carries out what ``RequestStateMachine`` decides. Hazards:
/// - Writing an answer's end makes the pipelining handler deliver the next request *inside that
///   write*. If that request were answered there too, a client could drive the recursion as deep as
///   it has pipelined requests. So an answer that becomes due during such a write is kept in
///   `deferred` until the write has returned.
/// - The client's half-close is not forwarded: the router's side would close the connection before
///   a pending answer.
/// - A lane's outcome may arrive after the client has gone; the ticket then names no handler.
final class ConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler, SeatOccupant {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    let loop: ConnectionLoop
    let wire: any Wire
    /// What the connection becomes; nil if there is no router behind it.
    var fate: ConnectionFate?
    private(set) var context: ChannelHandlerContext?
    var machine: RequestStateMachine
    /// Index in the loop's list of connections; only the loop uses it.
    var placeInLoop = -1

    /// Set while the body arrives.
    var request: IngestRequest?
    /// Set while it is decided whether the connection becomes a WebSocket.
    var upgrade: SocketUpgrade?
    /// Set while a lane has the batch.
    var ticket: UInt64?
    private(set) var route = RouteID.other
    /// When the router's request began, and where its time is recorded.
    private(set) var timing: (since: NIODeadline, histogram: Histogram)?
    private var isHeadMethod = false
    private var sendsProtobuf = false
    private var speaksOldHTTP = false

    /// See ``ConnectionSeat/isSurplus``: copied here for the quick path, until it is false.
    private var isSurplus: Bool
    private var isWritingEnd = false
    private var deferred: Answer?
    private var needsFlush = false
    private var hasForwarded = false
    /// Since when the client has not read what was sent to it.
    var unwritableSince: NIODeadline?
    /// ``Wire/receivedBytes`` when the head of the present request had arrived.
    private(set) var headAtBytes = 0
    /// ``Wire/receivedBytes`` when the present request had ended, unless it took the quick path.
    private(set) var endAtBytes = 0
    /// Bytes of the router's answers that the client has not taken yet.
    var unsentBytes = 0
    /// Bytes that were to be sent at the last check.
    var seenWaitingBytes = 0
    /// The sending side is to be closed once everything is sent.
    private(set) var isCloseDue = false

    /// By then the server has closed the connections of clients that don't read.
    private static let unreadRetryAfter = Duration.seconds(20)
    /// By then another connection may be idle.
    private static let surplusRetryAfter = Duration.seconds(5)
    static let placeholder = HTTPServerResponsePart.head(
        HTTPResponseHead(version: .http1_1, status: .ok))
    private static let continuing = HTTPServerResponsePart.head(
        HTTPResponseHead(version: .http1_1, status: .continue))

    init(loop: ConnectionLoop, wire: any Wire) {
        self.loop = loop
        self.wire = wire
        isSurplus = wire.seat.isSurplus
        machine = RequestStateMachine(limits: loop.machineLimits, now: loop.eventLoop.now)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        wire.handler = self
        loop.add(self)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        release()
        wire.handler = nil
        fate?.end()
        self.context = nil
        loop.remove(self)
        // It may have become a WebSocket, which counts elsewhere.
        if !wire.isStream { loop.leave(wire.seat) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        release()
        context.fireChannelInactive()
    }

    /// The connection is gone: releases all that is held for its request.
    private func release() {
        guard machine.phase != .closed else { return }
        if machine.isAwaited { loop.instruments.requestsAborted.increment() }
        machine.closed()
        deferred = nil
        upgrade = nil
        abandonRequest()
        if let ticket = ticket.take() { loop.forget(ticket) }
    }

    var entry: RouteTable.Entry { loop.instruments.routes[route] }

    /// What comes next has no path.
    func forgetRoute() { route = .other }

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard machine.isOpen else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            headArrived(head, context)
        case .body(let chunk):
            if bodyArrived(chunk) == .forward { forward(data, context) }
        case .end:
            endAtBytes = wire.receivedBytes
            if endArrived(context) == .forward { forward(data, context) }
        }
    }

    @discardableResult
    func bodyArrived(_ chunk: ByteBuffer) -> RequestStateMachine.BodyAction {
        let action = machine.bodyArrived(bytes: chunk.readableBytes)
        if action == .scan { scan(chunk) }
        return action
    }

    @discardableResult
    func endArrived(_ context: ChannelHandlerContext) -> RequestStateMachine.EndAction {
        let action = machine.endArrived(now: loop.lastNow)
        switch action {
        case .finish: finishRequest()
        case .linger: linger(context)
        case .upgrade: admitUpgrade()
        case .forward, .nothing: break
        }
        return action
    }

    /// The head of a request on the quick path.
    func quickHeadArrived(_ head: IngestHead, _ route: RouteID, _ request: InputRequest) {
        self.route = route
        isHeadMethod = false
        sendsProtobuf = head.contentType == .protobuf
        speaksOldHTTP = false
        let now = loop.readClock()
        if isSurplus, refuseSurplus(head.framing, now: now) { return }
        guard let format = entry.input else {
            preconditionFailure("BUG: route=\(route) takes no readings")
        }
        _ = judge(head, format, request, now: now)
    }

    private func headArrived(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let now = loop.readClock()
        var head = head
        head.uri = RequestTargetForm.tidied(head.uri)
        head.headers = head.headers.trimmed ?? head.headers
        let read = IngestHead(head, fieldsMax: loop.configuration.headFieldsMax)
        headAtBytes = wire.receivedBytes
        route = loop.instruments.routes.id(of: head.uri)
        speaksOldHTTP = head.version.major == 1 && head.version.minor == 0
        isHeadMethod = head.method == .HEAD
        sendsProtobuf = read.contentType == .protobuf
        if let violation = read.violation {
            answer(violation, machine.refuse(read.framing, now: now))
        } else if isSurplus, refuseSurplus(read.framing, now: now) {
            return
        } else if let format = entry.input {
            let request =
                route == .ingest ? .none : InputRequest(head.uri, head.headers, entry.pattern)
            if judge(read, format, request, now: now) { sendContinue(context) }
        } else if !loop.unsent.hasRoom(for: wire.seat.address), entry.urgency < .health {
            answer(
                .answersUnread(retryAfter: Self.unreadRetryAfter),
                machine.refuse(read.framing, now: now))
        } else if !judgeUpgrade(head, read.framing, now: now) {
            machine.forward(read.framing, now: now)
            timing = loop.instruments.time(of: route, head.method).map { (now, $0) }
            forward(wrapInboundOut(.head(head)), context)
        }
    }

    /// Decides about a request on a connection without a place: the place that has become free is
    /// taken, a probe is answered, and all else gets a 503. The connection ends with the answer.
    ///
    /// - Returns: whether the request was refused.
    private func refuseSurplus(_ framing: RequestFraming, now: NIODeadline) -> Bool {
        isSurplus = !loop.promote(wire.seat)
        guard isSurplus else { return false }
        // The connection of a stream ends once it rests.
        if !wire.isStream { machine.mustClose = true }
        if entry.urgency >= .probe { return false }
        loop.instruments.connectionsRefused.increment()
        answer(
            .tooManyConnections(retryAfter: Self.surplusRetryAfter),
            machine.refuse(framing, now: now))
        return true
    }

    /// The router wants the body: sends `100 Continue` if the client waits for it.
    func sendContinue() {
        guard machine.bodyWanted(now: loop.readClock()), let context else { return }
        sendContinue(context)
    }

    private func sendContinue(_ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(Self.continuing), promise: nil)
    }

    private func forward(_ data: NIOAny, _ context: ChannelHandlerContext) {
        if fate?.isDecided == false, !wire.isStream {
            // The router's side asks for one read at a time. The usual four would hold four times
            // the memory for a body whose reader is slow. A closed channel has no options and needs
            // none.
            try? context.channel.syncOptions?.setOption(.maxMessagesPerRead, value: 1)
        }
        fate?.addRouter(to: context.channel)
        hasForwarded = true
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        flushIfNeeded()
        // The router's side need not know about requests that it has not seen.
        if hasForwarded {
            hasForwarded = false
            context.fireChannelReadComplete()
        }
    }

    // MARK: Answers

    /// Answers the present request, whose phase is `settling`.
    func answer(_ failure: RequestFailure, _ persistence: RequestStateMachine.Persistence) {
        loop.logger.debug("refused", metadata: ["failure": "\(failure.sentence)"])
        write(
            loop.answers.answer(
                failure, in: entry.envelope, header(persistence), isHead: isHeadMethod,
                isProtobuf: sendsProtobuf))
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

    func writeDeferred() {
        while let answer = deferred.take() { writeNow(answer) }
    }

    private func writeNow(_ answer: Answer) {
        guard let context else { return }
        if route == .ingest && answer.status == 200 {
            loop.instruments.ingested.increment()
        } else {
            loop.instruments.answered(route, status: answer.status)
        }
        needsFlush = true
        if wire.isQuick {
            wire.write(answer.bytes, promise: nil)
            if machine.answerWritten(now: loop.lastNow) == .linger { linger(context) }
            wire.answerWritten()
            return
        }
        wire.ready = answer.bytes
        context.write(wrapOutboundOut(Self.placeholder), promise: nil)
        let next = machine.answerWritten(now: loop.lastNow)
        writeEnd(wrapOutboundOut(.end(nil)), context, promise: nil)
        if next == .linger { linger(context) }
    }

    func writeEnd(
        _ end: NIOAny, _ context: ChannelHandlerContext, promise: EventLoopPromise<Void>?
    ) {
        isWritingEnd = true
        context.write(end, promise: promise)
        isWritingEnd = false
        // Idle: the pipelining handler holds no further request.
        wire.readOnIfOwed(isDrained: machine.phase == .idle)
    }

    func flushIfNeeded() {
        guard needsFlush else { return }
        needsFlush = false
        wire.flush()
    }

    /// Ends the connection so that the client can read its answer: the sending side is closed, and
    /// what still arrives is discarded, within limits.
    func linger(_ context: ChannelHandlerContext) {
        deferred = nil
        needsFlush = false
        wire.flush()
        wire.discard(bytesMax: loop.configuration.lingerBytesMax)
        wire.readOnIfOwed(isDrained: true)
        // A channel whose client has closed its side would drop the bytes that are not sent yet.
        isCloseDue = true
        if wire.waitingBytes(context) == 0 { closeSending(context) }
    }

    func closeSending(_ context: ChannelHandlerContext) {
        isCloseDue = false
        wire.closeSending(context)
    }
}
