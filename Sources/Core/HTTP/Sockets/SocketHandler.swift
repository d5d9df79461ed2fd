import DequeModule
import Ingest
import Instruments
import NIOCore
import NIOWebSocket

/// One open socket on its event loop. It carries out what ``SocketStateMachine`` decides, connects
/// the frames with the application's session, and decides when to read more.
///
/// - **Nothing is read ahead of the application.** While ``SocketConfiguration/inFlightMax`` units
///   are unanswered, or the client does not take what is sent, the socket is not read. Further
///   messages of the last read are kept in `backlog`.
/// - A lane's outcome may arrive after the client has gone; its ticket then names no handler.
/// - It has no timer: ``LoopSockets`` calls ``tick(now:)`` about once a second.
final class SocketHandler: ChannelInboundHandler, OpenSocket {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = ByteBuffer

    let loop: ConnectionLoop
    let user: String
    /// The address of a client without credentials; nil for others.
    let address: ClientAddress?
    let route: SocketRoute
    let topic: String
    private let pass: SocketPass
    private let application: any SocketApplication
    private var session: (any SocketSession)?
    private var machine: SocketStateMachine
    private var context: ChannelHandlerContext?
    private var outlet: SocketOutlet?
    private var needsFlush = false
    /// Index in the loop's list of sockets; only the loop uses it.
    var place = -1

    /// Tickets of unanswered units, a few at most.
    private var tickets: [UInt64] = []
    /// Messages that arrived while too many units were unanswered.
    private var backlog: Deque<ByteBuffer> = []
    private var isTakingBacklog = false
    private var isReadOwed = true
    private var closeCode: Int?
    /// The sending side is to be closed once everything is sent.
    private var isCloseDue = false
    private var sending = SendingWatch()

    init(
        loop: ConnectionLoop, application: any SocketApplication, route: SocketRoute, user: String,
        address: ClientAddress? = nil, pass: SocketPass = .endless
    ) {
        self.address = address
        self.loop = loop
        self.application = application
        self.route = route
        self.user = user
        self.pass = pass
        topic = application.topic
        var limits = loop.sockets.limits
        if !application.endsIdleSockets { limits.idleTimeout = nil }
        machine = SocketStateMachine(limits: limits, now: loop.readClock())
    }

    var eventLoop: any EventLoop { loop.eventLoop }
    private var instruments: SocketInstruments { loop.sockets.instruments }
    private var isBusy: Bool { !tickets.isEmpty || !backlog.isEmpty }

    // MARK: The channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        outlet = SocketOutlet(context)
        loop.sockets.add(self)
        session = application.open(self)
        flushIfNeeded()
        readOnIfWanted()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        release()
        self.context = nil
        outlet = nil
        loop.sockets.remove(self)
    }

    func channelInactive(context: ChannelHandlerContext) {
        release()
        context.fireChannelInactive()
    }

    /// The connection is gone, or nothing more will be sent on it.
    private func release() {
        _ = machine.inputClosed()
        backlog = []
        for ticket in tickets { loop.sockets.forget(ticket) }
        tickets = []
        guard let session = session.take() else { return }
        instruments.closed(closeCode ?? SocketInstruments.abnormal)
        session.closed()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = SocketFrame(unwrapInboundIn(data))
        switch frame.kind {
        case .text, .continuation, .binary: instruments.messagesReceived.increment()
        case .close, .ping, .pong, .unknown: instruments.controlReceived.increment()
        }
        act(machine.frameArrived(frame, now: loop.readClock()))
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        flushIfNeeded()
        isReadOwed = true
        readOnIfWanted()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? NIOWebSocketError else {
            if !(error is ByteToMessageDecoderError) { context.close(promise: nil) }
            return
        }
        let isTooLarge = if case .invalidFrameLength = error { true } else { false }
        act(machine.frameRefused(isTooLarge: isTooLarge, now: loop.readClock()))
        flushIfNeeded()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is ChannelShouldQuiesceEvent:
            act(machine.drain(isBusy: isBusy, now: loop.readClock()))
            flushIfNeeded()
        case ChannelEvent.inputClosed:
            act(machine.inputClosed())
        default:
            context.fireUserInboundEventTriggered(event)
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        sending.writabilityChanged(isWritable: context.channel.isWritable, now: loop.lastNow)
        readOnIfWanted()
        context.fireChannelWritabilityChanged()
    }

    /// Whether more input is wanted. Once our close frame is sent, the client's is awaited.
    private var wantsMore: Bool {
        if machine.phase == .closing { return true }
        return machine.isListening && tickets.count < loop.sockets.configuration.inFlightMax
            && backlog.isEmpty && !sending.isBlocked
    }

    private func readOnIfWanted() {
        guard isReadOwed, wantsMore, let context else { return }
        isReadOwed = false
        context.read()
    }

    // MARK: Decisions

    private func act(_ action: SocketStateMachine.Action) {
        guard let context else { return }
        switch action {
        case .nothing:
            break
        case .deliver(let text):
            guard isAdmitted() else { return }
            backlog.append(text)
            takeBacklog()
        case .ping(let number):
            write(.ping, SocketPings.payload(number))
        case .confirmed(let number):
            session?.confirmed(number)
        case .pong(let payload):
            // A client that sends pings and reads nothing gets no pongs.
            if context.channel.isWritable { write(.pong, payload) }
        case .close(let goodbye, let then):
            sayGoodbye(goodbye, then, context)
        case .end:
            context.close(promise: nil)
        }
    }

    private func takeBacklog() {
        // A session may answer at once, which calls this function again.
        guard !isTakingBacklog else { return }
        isTakingBacklog = true
        while tickets.count < loop.sockets.configuration.inFlightMax, machine.phase == .open,
            let session, let text = backlog.popFirst()
        {
            session.received(text)
        }
        isTakingBacklog = false
    }

    private func sayGoodbye(
        _ goodbye: SocketClose, _ then: SocketStateMachine.AfterClose,
        _ context: ChannelHandlerContext
    ) {
        if closeCode == nil { closeCode = goodbye.code.map(Int.init) ?? SocketInstruments.noStatus }
        var payload = ByteBuffer()
        goodbye.write(to: &payload)
        backlog = []
        switch then {
        case .end:
            let written = context.eventLoop.makePromise(of: Void.self)
            let channel = context.channel
            written.futureResult.whenComplete { _ in channel.close(promise: nil) }
            write(.connectionClose, payload, promise: written)
            flushIfNeeded()
        case .awaitAnswer:
            write(.connectionClose, payload)
            flushIfNeeded()
        case .linger:
            write(.connectionClose, payload)
            flushIfNeeded()
            isCloseDue = true
            closeSendingIfDue(context)
        }
        readOnIfWanted()
    }

    private func closeSendingIfDue(_ context: ChannelHandlerContext) {
        guard isCloseDue, outlet?.waitingBytes == 0 else { return }
        isCloseDue = false
        context.close(mode: .output, promise: nil)
    }

    private func write(
        _ opcode: WebSocketOpcode, _ payload: ByteBuffer, promise: EventLoopPromise<Void>? = nil
    ) {
        instruments.controlSent.increment()
        needsFlush = true
        outlet?.write(opcode, payload, promise: promise)
    }

    func flushIfNeeded() {
        if let number = machine.pingDue() { act(.ping(number)) }
        guard needsFlush else { return }
        needsFlush = false
        outlet?.flush()
    }

    // MARK: The application

    func flush() { flushIfNeeded() }

    func send(_ text: String, written: (() -> Void)?) {
        guard let context else { return }
        let (bytes, waiting) = (text.utf8.count, outlet?.waitingBytes ?? 0)
        switch machine.send(bytes: bytes, waitingBytes: waiting, now: loop.lastNow) {
        case .drop:
            return
        case .close(let action):
            act(action)
        case .send:
            instruments.messagesSent.increment()
            let promise = written.map { written in
                let promise = context.eventLoop.makePromise(of: Void.self)
                promise.futureResult.assumeIsolated().whenSuccess(written)
                return promise
            }
            needsFlush = true
            outlet?.write(text, promise: promise)
        }
    }

    func wantConfirmation() -> UInt64 { machine.pings.want() }

    func offer(_ unit: WorkUnit, tag: UInt64) -> Offer {
        let ticket = loop.sockets.ticket(for: self, tag: tag)
        let offer = loop.offer(unit, ticket: ticket)
        if offer == .taken {
            tickets.append(ticket)
        } else {
            loop.sockets.giveBack(ticket)
        }
        return offer
    }

    func close(_ code: SocketCloseCode, reason: String) {
        act(machine.leave(SocketClose(code, reason), now: loop.lastNow))
    }

    /// The answer is written, not flushed.
    func settled(_ ticket: UInt64, tag: UInt64, _ outcome: UnitOutcome) {
        guard let place = tickets.firstIndex(of: ticket) else {
            preconditionFailure("BUG: ticket \(ticket) is not this socket's")
        }
        let now = loop.readClock()
        tickets.remove(at: place)
        session?.settled(tag, outcome)
        takeBacklog()
        act(machine.settled(isBusy: isBusy, now: now))
        readOnIfWanted()
    }

    func noticed(_ text: String) {
        guard isAdmitted() else { return }
        session?.noticed(text)
    }

    /// Whether the client's credentials are still valid; otherwise the socket is closed.
    private func isAdmitted() -> Bool {
        guard machine.phase == .open, !pass.holds else { return true }
        if let text = application.authenticationError() { send(text, written: nil) }
        close(.policyViolation, reason: pass.ending)
        return false
    }

    /// Checks for time-outs.
    func tick(now: NIODeadline) {
        guard let context else { return }
        closeSendingIfDue(context)
        let waiting = sending.isBlocked ? outlet?.waitingBytes ?? 0 : 0
        if sending.isStuck(waitingBytes: waiting, timeout: loop.sendTimeout, now: now) {
            context.close(promise: nil)
            return
        }
        guard isAdmitted() else { return }
        session?.tick(now: now)
        act(machine.tick(isReading: !isReadOwed || wantsMore, now: now))
        flushIfNeeded()
    }
}
