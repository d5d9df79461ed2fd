import Ingestion
import Instruments
import NIOCore

/// The sockets of one event loop: who is there, what they have offered, and for whom a notice is.
///
/// Belongs to its loop.
final class LoopSockets {
    private struct Audience: Hashable {
        let topic: String
        let user: String
    }

    /// Tells the tickets of units from those of batches.
    static let mark: UInt64 = 1 << 31
    /// Each socket is looked at in one of so many sweeps.
    private static let sweepShare = 4

    let configuration: SocketConfiguration
    let limits: SocketStateMachine.Limits
    let instruments: SocketInstruments
    let applications: [any SocketApplication]
    private let holders: SocketHolders

    private var sockets: [SocketHandler] = []
    private var audiences: [Audience: [SocketHandler]] = [:]
    private var tickets = TicketTable<SocketTicket>(mark: LoopSockets.mark)
    /// Sockets with something to flush at the end of a delivery.
    private var unflushed: [SocketHandler] = []
    private var sweeps = 0

    init(
        configuration: SocketConfiguration, instruments: SocketInstruments,
        applications: [any SocketApplication], holders: SocketHolders
    ) {
        self.holders = holders
        self.configuration = configuration
        self.instruments = instruments
        self.applications = applications
        limits = SocketStateMachine.Limits(configuration)
    }

    /// Over all loops.
    var isRoom: Bool { instruments.open.value < configuration.socketsMax }

    /// Whether this user may have one more.
    ///
    /// - Parameter address: of a client that has shown nothing.
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

    /// Looks for what has timed out.
    func sweep(now: NIODeadline) {
        sweeps += 1
        let share = sweeps % Self.sweepShare
        // From the end: whoever closes is replaced by one that has been looked at, or will be in
        // another sweep.
        for place in sockets.indices.reversed()
        where place < sockets.count && place % Self.sweepShare == share {
            sockets[place].tick(now: now)
        }
    }

    /// Passes a notice on to all of the user's sockets.
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

    /// Nobody waits for this outcome any more.
    func forget(_ ticket: UInt64) {
        tickets.update(ticket) { $0.handler = nil }
    }

    static func isTicket(_ ticket: UInt64) -> Bool { ticket & mark != 0 }

    /// The lanes have spoken. Written, not flushed: see ``flush()``.
    func settle(_ ticket: UInt64, _ outcome: CommitOutcome) {
        let entry = tickets.remove(ticket)
        guard let socket = entry.handler else { return }
        socket.settled(ticket, tag: entry.tag, outcome)
        unflushed.append(socket)
    }

    /// To be called behind a run of outcomes.
    func flush() {
        guard !unflushed.isEmpty else { return }
        for socket in unflushed { socket.flushIfNeeded() }
        unflushed.removeAll(keepingCapacity: true)
    }
}
