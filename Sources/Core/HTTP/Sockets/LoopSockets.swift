import Ingest
import Instruments
import NIOCore

/// The sockets of one event loop, the units they have offered, and the audiences of notices.
///
/// `@unchecked Sendable`: belongs to its loop. Other threads may only call ``deliver(_:)``, which
/// hops there.
final class LoopSockets: AcknowledgementTarget, @unchecked Sendable {
    private struct Audience: Hashable {
        let topic: String
        let user: String
    }

    /// Each socket is checked in one of this many sweeps.
    private static let sweepShare = 4

    private let eventLoop: any EventLoop
    let configuration: SocketConfiguration
    let limits: SocketStateMachine.Limits
    let instruments: SocketInstruments
    private let holders: SocketHolders

    private var sockets: [SocketHandler] = []
    private var audiences: [Audience: [SocketHandler]] = [:]
    private var tickets = TicketTable<SocketTicket>()
    /// Sockets to flush at the end of a delivery.
    private var unflushed: [SocketHandler] = []
    private var sweeps = 0

    init(
        eventLoop: any EventLoop, configuration: SocketConfiguration,
        instruments: SocketInstruments, holders: SocketHolders
    ) {
        self.eventLoop = eventLoop
        self.holders = holders
        self.configuration = configuration
        self.instruments = instruments
        limits = SocketStateMachine.Limits(configuration)
    }

    /// Whether one more socket is allowed, over all loops.
    var isRoom: Bool { instruments.open.value < configuration.socketsMax }

    /// Whether this user may have one more socket.
    ///
    /// - Parameter address: of a client without credentials; nil for others.
    func mayHold(user: String, address: ClientAddress?) -> Bool {
        holders.mayHold(
            user: user, usersMax: configuration.socketsPerUserMax, address: address,
            free: configuration.socketsMax - instruments.open.value)
    }

    func add(_ socket: SocketHandler) {
        socket.place = sockets.count
        sockets.append(socket)
        audiences[Audience(topic: socket.topic, user: socket.user), default: []].append(socket)
        holders.add(user: socket.user, address: socket.address)
        instruments.open.add(1)
    }

    func remove(_ socket: SocketHandler) {
        let place = socket.place
        precondition(sockets[place] === socket, "BUG: socket \(place) is not there")
        let last = sockets.removeLast()
        if last !== socket {
            sockets[place] = last
            last.place = place
        }
        let audience = Audience(topic: socket.topic, user: socket.user)
        audiences[audience]?.removeAll { $0 === socket }
        if audiences[audience]?.isEmpty == true { audiences[audience] = nil }
        holders.remove(user: socket.user, address: socket.address)
        instruments.open.subtract(1)
    }

    /// Checks a part of the sockets for time-outs.
    func sweep(now: NIODeadline) {
        sweeps += 1
        let share = sweeps % Self.sweepShare
        // From the end: a socket that closes is replaced by one that has been checked already, or
        // will be in another sweep.
        for place in sockets.indices.reversed()
        where place < sockets.count && place % Self.sweepShare == share {
            sockets[place].tick(now: now)
        }
    }

    /// Passes a notice to all of the user's sockets.
    func notice(topic: String, user: String, text: String) {
        guard let audience = audiences[Audience(topic: topic, user: user)] else { return }
        for socket in audience {
            socket.noticed(text)
            socket.flushIfNeeded()
        }
    }

    // MARK: Units

    func ticket(for socket: SocketHandler, tag: UInt64) -> UInt64 {
        tickets.insert(SocketTicket(handler: socket, tag: tag))
    }

    /// The unit was not taken.
    func giveBack(_ ticket: UInt64) {
        _ = tickets.remove(ticket)
    }

    /// The socket is gone; its outcome is not reported any more.
    func forget(_ ticket: UInt64) {
        tickets.update(ticket) { $0.handler = nil }
    }

    /// Takes the outcomes of a commit, from any thread, in one hop.
    func deliver(_ acknowledgements: [UnitOutcome.Acknowledgement]) {
        eventLoop.execute { self.settle(acknowledgements) }
    }

    private func settle(_ acknowledgements: [UnitOutcome.Acknowledgement]) {
        for acknowledgement in acknowledgements {
            let entry = tickets.remove(acknowledgement.ticket)
            guard let socket = entry.handler else { continue }
            socket.settled(acknowledgement.ticket, tag: entry.tag, acknowledgement.outcome)
            unflushed.append(socket)
        }
        for socket in unflushed { socket.flushIfNeeded() }
        unflushed.removeAll(keepingCapacity: true)
    }
}
