import NIOCore

/// What happens on one connection, request after request: events in, decisions out.
///
/// It knows no socket, no scanner and no clock. ``ConnectionHandler`` reports events to it and
/// carries out its decisions. Only this type's own functions write its properties.
///
/// The connection has one request at a time: the pipelining handler in front holds back the next
/// head until the end of the answer has been written.
///
/// ```
///              ┌──────── forwarding (the router's) ───────┐
///   idle ──────┼──────── settling (refused from its head) ┤──▶ idle, or lingering ──▶ closed
///              ├─ receiving ─▶ offered ─▶ settling ───────┤      (a large body of a format:
///              │      └──────────────────────▲ (fault)    │       receiving ─▶ translating ─▶ …)
///              └─ upgrading ─▶ settling (refused) ────────┘
///                     └──▶ a WebSocket: the connection leaves this machine
/// ```
struct RequestStateMachine {
    /// The limits that apply; see ``HTTPConfiguration``.
    struct Limits: Sendable {
        var headTimeout: TimeAmount
        var idleTimeout: TimeAmount
        var bodyTimeout: TimeAmount
        var bodyBytesPerSecondMin: Int
        var acknowledgeWithin: TimeAmount
        var lingerTimeout: TimeAmount
        var keptRestBytesMax: Int
    }

    enum Phase: Equatable, Sendable {
        /// Between requests.
        case idle
        /// The router answers this request.
        case forwarding
        /// Admitted; its body is arriving.
        case receiving
        /// Complete; another thread translates it.
        case translating
        /// Complete, and offered to a lane.
        case offered
        /// Asks for a WebSocket; whether it gets one is being decided.
        case upgrading
        /// The answer is decided or even written; the rest of the request may still be arriving.
        case settling
        /// Nothing more is sent; whatever arrives is discarded until the client closes.
        case lingering
        case closed
    }

    enum Persistence: Equatable, Sendable { case keep, close }
    enum BodyAction: Equatable, Sendable { case scan, forward, discard }
    enum EndAction: Equatable, Sendable { case finish, forward, upgrade, linger, nothing }
    enum AfterAnswer: Equatable, Sendable { case goOn, linger }
    enum InputClosedAction: Equatable, Sendable { case linger, nothing }
    enum ParseFailureAction: Equatable, Sendable { case answer, linger, nothing }
    enum TickAction: Equatable, Sendable {
        case nothing
        /// Without an answer.
        case close
        case answer(Lateness, Persistence)
        /// A head is late. No request exists that this would answer, so the answer bypasses the
        /// pipelining handler; then the connection lingers.
        case answerLateHead
    }
    enum Lateness: Equatable, Sendable { case body, acknowledgement }

    let limits: Limits
    var phase = Phase.idle
    /// When the phase began.
    var since: NIODeadline
    private(set) var framing = RequestFraming(
        keepAlive: true, expectsContinue: false, declaredBytes: 0)
    /// The router's client waits for a `100 Continue` and has sent nothing of its body.
    var awaitsContinue = false
    var requestEnded = true
    /// The router has begun to answer; nothing else may be written.
    var routerHasBegun = false
    var answered = true
    var mustClose = false
    /// When the server began to stop.
    var drainsSince: NIODeadline?
    var isFirst = true
    var bodyBytes = 0

    /// Bytes at the last check, of the body or, while idle, of the connection; and when that number
    /// was reached.
    var seenBytes = 0
    var seenAt: NIODeadline
    var headStarted = false

    init(limits: Limits, now: NIODeadline) {
        self.limits = limits
        since = now
        seenAt = now
    }

    /// Events of a request are processed.
    var isOpen: Bool { phase != .lingering && phase != .closed }

    /// A client waits for an answer.
    var isAwaited: Bool {
        switch phase {
        case .forwarding: !answered
        case .receiving, .translating, .offered, .upgrading: true
        case .idle, .settling, .lingering, .closed: false
        }
    }

    // MARK: A request begins

    /// - Returns: whether the client waits for a `100 Continue`.
    mutating func admit(_ framing: RequestFraming, now: NIODeadline) -> Bool {
        begin(.receiving, framing, now)
        return framing.expectsContinue && framing.declaredBytes != 0
    }

    /// A client that expects a `100 Continue` gets it when the body is wanted. Until then the
    /// router may reject the request from its head.
    mutating func forward(_ framing: RequestFraming, now: NIODeadline) {
        begin(.forwarding, framing, now)
        awaitsContinue = framing.expectsContinue && framing.declaredBytes != 0
    }

    /// The request may become a WebSocket; its end is awaited.
    mutating func upgrade(_ framing: RequestFraming, now: NIODeadline) {
        begin(.upgrading, framing, now)
    }

    /// A client that expects a `100 Continue` and gets none may leave out its body. Where its next
    /// request begins is then unknown, so such a connection is closed.
    mutating func refuse(_ framing: RequestFraming, now: NIODeadline) -> Persistence {
        begin(.settling, framing, now)
        if framing.expectsContinue && framing.declaredBytes != 0 { mustClose = true }
        return persistence()
    }

    private mutating func begin(_ phase: Phase, _ framing: RequestFraming, _ now: NIODeadline) {
        precondition(self.phase == .idle, "BUG: a request in phase \(self.phase)")
        self.phase = phase
        self.framing = framing
        since = now
        awaitsContinue = false
        requestEnded = false
        routerHasBegun = false
        answered = false
        isFirst = false
        bodyBytes = 0
        seenBytes = 0
        seenAt = now
    }

    /// Whether the connection continues after the answer to the present request.
    private mutating func persistence() -> Persistence {
        if !framing.keepAlive { mustClose = true }
        if !requestEnded {
            let rest = framing.declaredBytes.map { $0 - bodyBytes } ?? Int.max
            if rest > limits.keptRestBytesMax { mustClose = true }
        }
        return mustClose ? .close : .keep
    }

    // MARK: It goes on

    /// - Parameter bytes: as sent, before any decompression.
    mutating func bodyArrived(bytes: Int) -> BodyAction {
        bodyBytes += bytes
        awaitsContinue = false
        switch phase {
        case .receiving: return .scan
        case .forwarding: return .forward
        case .settling, .upgrading, .lingering, .closed: return .discard
        case .idle, .translating, .offered:
            preconditionFailure("BUG: a body in phase \(phase)")
        }
    }

    mutating func endArrived(now: NIODeadline) -> EndAction {
        requestEnded = true
        awaitsContinue = false
        switch phase {
        case .receiving:
            return .finish
        case .upgrading:
            return .upgrade
        case .forwarding:
            return answered && becomeIdle(now) == .linger ? .linger : .forward
        case .settling:
            return answered && becomeIdle(now) == .linger ? .linger : .nothing
        case .lingering, .closed:
            return .nothing
        case .idle, .translating, .offered:
            preconditionFailure("BUG: an end in phase \(phase)")
        }
    }

    /// Another thread has the body; it always returns it, so there is no time-out.
    mutating func translates(now: NIODeadline) {
        precondition(phase == .receiving && requestEnded, "BUG: translated in phase \(phase)")
        phase = .translating
        since = now
    }

    /// The lane has taken the batch.
    mutating func offered(now: NIODeadline) {
        precondition(
            phase == .receiving && requestEnded || phase == .translating,
            "BUG: offered in phase \(phase)")
        phase = .offered
        since = now
    }

    /// The request is about to be answered; the rest of it is discarded.
    mutating func settle() -> Persistence {
        precondition(
            phase == .receiving || phase == .translating || phase == .offered
                || phase == .upgrading,
            "BUG: settled in phase \(phase)")
        phase = .settling
        return persistence()
    }

    // MARK: It is answered

    /// To be called before the answer's end is written, since that lets the next request in.
    mutating func answerWritten(now: NIODeadline) -> AfterAnswer {
        precondition(phase == .settling && !answered, "BUG: answered in phase \(phase)")
        return close(now)
    }

    /// The router's answer begins. As in ``refuse(_:now:)``, the connection ends if the client
    /// expected a `100 Continue` and got none.
    mutating func routerAnswers() -> Persistence {
        routerHasBegun = true
        if awaitsContinue { mustClose = true }
        return persistence()
    }

    /// Like ``answerWritten(now:)``, for an answer of the router.
    mutating func routerAnswerWritten(now: NIODeadline) -> AfterAnswer {
        precondition(phase == .forwarding && !answered, "BUG: router answered in phase \(phase)")
        return close(now)
    }

    private mutating func close(_ now: NIODeadline) -> AfterAnswer {
        answered = true
        since = now
        if mustClose {
            phase = .lingering
            return .linger
        }
        return requestEnded ? becomeIdle(now) : .goOn
    }

    /// Lingers if the decision to close came after an answer that did not announce it.
    private mutating func becomeIdle(_ now: NIODeadline) -> AfterAnswer {
        since = now
        if mustClose {
            phase = .lingering
            return .linger
        }
        phase = .idle
        headStarted = false
        seenBytes = -1
        return .goOn
    }

    // MARK: The connection

    /// The client will send nothing more, but may still read.
    mutating func inputClosed(now: NIODeadline) -> InputClosedAction {
        mustClose = true
        switch phase {
        case .settling where !answered: return .nothing
        case .idle, .settling:
            phase = .lingering
            since = now
            return .linger
        case .forwarding, .receiving, .translating, .offered, .upgrading, .lingering, .closed:
            return .nothing
        }
    }

    /// The server is stopping: the present request is the last one, or else the next one that comes
    /// soon.
    mutating func drain(now: NIODeadline) {
        mustClose = true
        if drainsSince == nil { drainsSince = now }
    }

    /// The bytes received are not HTTP, or they ended within a request; nothing more can be read.
    mutating func parseFailed() -> ParseFailureAction {
        mustClose = true
        requestEnded = true
        switch phase {
        case .idle, .receiving:
            answered = false
            phase = .settling
            return .answer
        case .forwarding where !routerHasBegun:
            phase = .settling
            return .answer
        case .settling where !answered:
            return .nothing
        case .forwarding, .settling:
            phase = .lingering
            return .linger
        case .translating, .offered, .upgrading, .lingering, .closed:
            return .nothing
        }
    }

    mutating func closed() {
        phase = .closed
    }
}
