import NIOCore
import NIOHTTP2

/// When an HTTP/2 connection ends: events in, decisions out.
///
/// The time-outs of a stream are in ``RequestStateMachine``. Those here apply while there is no
/// stream, and limit how long the end may take. No step depends on the client: an acknowledgement
/// only makes the end come sooner.
///
/// ```
///   open ──(the server stops)──▶ announced ──(acknowledged, or a second)──▶ ending ──▶ closed
///     ├──(no stream for too long)── GOAWAY ────────────────────────────────────────▶ closed
///     ├──(an error)─────────────────────────────────────────────────────────────────▶ closed
///     └──(the client sends no more)───────────────────────────────────────▶ ending ──▶ closed
/// ```
/// `ending` lasts until the last stream has its answer, with a time limit.
struct StreamedConnectionState {
    /// The limits that apply; see ``HTTPConfiguration``.
    struct Limits: Sendable {
        var headTimeout: TimeAmount
        var idleTimeout: TimeAmount
        var acknowledgeWithin: TimeAmount
        var shutdownWithin: TimeAmount
    }

    enum Phase: Equatable, Sendable { case open, announced, ending, closed }

    enum Action: Equatable, Sendable {
        case nothing
        /// Send a GOAWAY that refuses no stream yet, and a PING, whose acknowledgement proves that
        /// the client has seen both.
        case announce
        /// Send a GOAWAY: streams after this one are not processed.
        case refuseAfter(HTTP2StreamID)
        /// The same, and close the connection.
        case finish(HTTP2StreamID)
        case close
    }

    private let limits: Limits
    private(set) var phase = Phase.open
    private var streams: Set<HTTP2StreamID> = []
    private var lastStream = HTTP2StreamID.rootStream
    private var hasSpoken = false
    /// When the phase began, or when the last stream closed.
    private var since: NIODeadline
    /// End of the phase `ending`.
    private var deadline: NIODeadline

    init(limits: Limits, now: NIODeadline) {
        self.limits = limits
        since = now
        deadline = now
    }

    /// The first frame that belongs to no stream has arrived.
    mutating func spoke(now: NIODeadline) {
        guard !hasSpoken else { return }
        hasSpoken = true
        if phase == .open { since = now }
    }

    mutating func streamOpened(_ stream: HTTP2StreamID) {
        streams.insert(stream)
        lastStream = max(lastStream, stream)
    }

    mutating func streamClosed(_ stream: HTTP2StreamID, now: NIODeadline) -> Action {
        guard streams.remove(stream) != nil, streams.isEmpty else { return .nothing }
        switch phase {
        case .open:
            since = now
            return .nothing
        case .ending: return close()
        case .announced, .closed: return .nothing
        }
    }

    /// The server is stopping.
    mutating func drain(now: NIODeadline) -> Action {
        guard phase == .open else { return .nothing }
        phase = .announced
        since = now
        return .announce
    }

    /// The PING of ``Action/announce`` has been acknowledged.
    mutating func acknowledged(now: NIODeadline) -> Action {
        phase == .announced ? sayGoodbye(now) : .nothing
    }

    /// The client will send nothing more, not even window updates.
    mutating func inputClosed(now: NIODeadline) -> Action {
        guard phase != .closed else { return .nothing }
        guard !streams.isEmpty else { return close() }
        let latest = now + limits.acknowledgeWithin
        deadline = phase == .ending ? min(deadline, latest) : latest
        phase = .ending
        return .nothing
    }

    /// A GOAWAY with an error has been sent (RFC 9113, section 5.4.1).
    mutating func failed() -> Action {
        phase == .closed ? .nothing : close()
    }

    /// How an open connection without a stream rests; nil if it has one.
    var rest: ConnectionRest? {
        guard phase == .open, streams.isEmpty else { return nil }
        return ConnectionRest(since: since, isFresh: lastStream == .rootStream)
    }

    /// Another connection needs the place of this one.
    mutating func giveWay(now: NIODeadline) -> Action {
        rest == nil ? .nothing : sayGoodbye(now)
    }

    /// To be called several times a second.
    mutating func tick(now: NIODeadline) -> Action {
        switch phase {
        case .open:
            guard streams.isEmpty else { return .nothing }
            let limit = hasSpoken ? limits.idleTimeout : limits.headTimeout
            return now - since >= limit ? sayGoodbye(now) : .nothing
        case .announced:
            return now - since >= RequestStateMachine.firstGrace ? sayGoodbye(now) : .nothing
        case .ending:
            return now >= deadline ? close() : .nothing
        case .closed:
            return .nothing
        }
    }

    private mutating func sayGoodbye(_ now: NIODeadline) -> Action {
        guard !streams.isEmpty else {
            phase = .closed
            return .finish(lastStream)
        }
        phase = .ending
        deadline = now + limits.shutdownWithin
        return .refuseAfter(lastStream)
    }

    private mutating func close() -> Action {
        phase = .closed
        return .close
    }
}

extension StreamedConnectionState.Limits {
    init(_ configuration: HTTPConfiguration) {
        self.init(
            headTimeout: TimeAmount(configuration.headTimeout),
            idleTimeout: TimeAmount(configuration.idleTimeout),
            acknowledgeWithin: TimeAmount(configuration.acknowledgeWithin),
            shutdownWithin: TimeAmount(configuration.shutdownWithin))
    }
}
