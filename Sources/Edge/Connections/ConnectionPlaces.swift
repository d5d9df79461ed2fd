import NIOCore
import Synchronization

/// The places of connections, over all event loops, and who holds them.
///
/// - ``EdgeConfiguration/connectionsMax`` places serve everything. A connection takes one when it
///   is accepted and returns it when it closes or becomes a WebSocket.
/// - A connection without a place is a *surplus* one. The idle connection that can best be spared
///   is closed for it (``EvictionOrder``), and it takes the free place at its next request. If
///   there is none, it gets the probes' answers (``Route/isProbe``) and a 503 for all else. So
///   `/health` has room whatever others do.
/// - Beyond ``EdgeConfiguration/surplusMax`` of those, connections are closed at once.
/// - Of both kinds one address may have four times as many as are free, which is four fifths of
///   all: there is always room for another address. Behind a proxy all clients share its address.
final class ConnectionPlaces: Sendable {
    /// Places of one kind.
    struct Book {
        enum Refusal: Equatable {
            case full
            /// The address has its share; others may take a place.
            case shareUsedUp
        }

        /// The rule of ``KeyAccount/reserve(_:free:)``.
        private static let shareOfFree = 4

        let max: Int
        private(set) var taken = 0
        private var holders: [ClientAddress: Int] = [:]

        init(max: Int) {
            precondition(max > 0, "BUG: max=\(max)")
            self.max = max
        }

        /// Takes a place. Balance with ``giveBack(_:)`` if the result is nil.
        ///
        /// - Parameter address: nil if it is unknown; such clients have no share.
        mutating func take(_ address: ClientAddress?) -> Refusal? {
            if let refusal = refusal(for: address) { return refusal }
            taken += 1
            if let address { holders[address, default: 0] += 1 }
            return nil
        }

        /// Why ``take(_:)`` would fail; nil if it would not.
        func refusal(for address: ClientAddress?) -> Refusal? {
            guard taken < max else { return .full }
            guard let own = address.flatMap({ holders[$0] }) else { return nil }
            return own + 1 <= Self.shareOfFree * (max - taken - 1) ? nil : .shareUsedUp
        }

        mutating func giveBack(_ address: ClientAddress?) {
            precondition(taken > 0, "BUG: a place that nobody took")
            taken -= 1
            guard let address else { return }
            guard let own = holders[address] else {
                preconditionFailure("BUG: a place that the address did not take")
            }
            holders[address] = own > 1 ? own - 1 : nil
        }

        func count(of address: ClientAddress?) -> Int { address.flatMap { holders[$0] } ?? 1 }
    }

    private struct State {
        var regular: Book
        var surplus: Book
    }

    private let state: Mutex<State>

    init(connectionsMax: Int, surplusMax: Int) {
        state = Mutex(State(regular: Book(max: connectionsMax), surplus: Book(max: surplusMax)))
    }

    /// Takes a place that serves everything. Balance with ``giveBack(_:)``.
    func take(_ address: ClientAddress?) -> Book.Refusal? {
        state.withLock { $0.regular.take(address) }
    }

    /// Why ``take(_:)`` would fail; nil if it would not.
    func refusal(for address: ClientAddress?) -> Book.Refusal? {
        state.withLock { $0.regular.refusal(for: address) }
    }

    func giveBack(_ address: ClientAddress?) {
        state.withLock { $0.regular.giveBack(address) }
    }

    /// Takes a surplus place. Balance with ``giveBackSurplus(_:)``.
    func takeSurplus(_ address: ClientAddress?) -> Bool {
        state.withLock { $0.surplus.take(address) == nil }
    }

    func giveBackSurplus(_ address: ClientAddress?) {
        state.withLock { $0.surplus.giveBack(address) }
    }

    /// Exchanges a surplus place for one that serves everything, if there is one.
    func promote(_ address: ClientAddress?) -> Bool {
        state.withLock { state in
            guard state.regular.take(address) == nil else { return false }
            state.surplus.giveBack(address)
            return true
        }
    }

    /// Places of each address, with a function so that the lock is taken once.
    func counts<Value>(_ body: ((ClientAddress?) -> Int) -> Value) -> Value {
        let regular = state.withLock { $0.regular }
        return body { regular.count(of: $0) }
    }
}

/// The place of one connection, and what handles the connection now. Belongs to its event loop.
final class ConnectionSeat {
    let address: ClientAddress?
    /// See ``ConnectionPlaces``.
    private(set) var isSurplus: Bool
    /// Whoever can close the connection. Not weak, which would make each reference to it slower; the
    /// two refer to each other until ``EdgeLoop/leave(_:)``.
    private(set) var occupant: (any SeatOccupant)?
    /// Index in the loop's list of seats; -1 once it is given back.
    private(set) var index = -1

    init(address: ClientAddress?, isSurplus: Bool) {
        self.address = address
        self.isSurplus = isSurplus
    }

    /// Has taken a place that serves everything.
    func promoted() { isSurplus = false }

    func move(to index: Int) { self.index = index }

    /// From now on `occupant` handles the connection.
    func occupy(_ occupant: any SeatOccupant) {
        if index >= 0 { self.occupant = occupant }
    }

    /// The place is given back.
    func leave() {
        index = -1
        occupant = nil
    }
}

/// Handles a connection, and can close it if another one needs its place.
protocol SeatOccupant: AnyObject {
    /// Since when the connection only waits for its client; nil while a request is under way, whose
    /// connection must not be closed.
    func restingSince(now: NIODeadline) -> NIODeadline?

    /// Closes the connection, which rests.
    func giveWay()
}

/// The order in which resting connections give way to new ones.
///
/// First those of the address that has the most places, down to where the next address has as
/// many; among equals the one that has rested longest. So whoever opens many connections loses his
/// own.
struct EvictionOrder<Seat> {
    struct Candidate {
        let seat: Seat
        let address: ClientAddress?
        let since: NIODeadline
    }

    private var candidates: [Candidate?] = []
    /// Indices; the next one is the last.
    private var order: [Int] = []
    private var ofAddress: [ClientAddress: [Int]] = [:]

    init() {}

    /// - Parameter count: places that an address has, on all loops.
    /// - Complexity: O(n log n).
    init(_ resting: [Candidate], count: (ClientAddress?) -> Int) {
        let sorted = resting.sorted { $0.since > $1.since }
        candidates = sorted
        for (index, candidate) in sorted.enumerated() {
            if let address = candidate.address { ofAddress[address, default: []].append(index) }
        }
        // How many places the address has when it is this candidate's turn.
        var ranks = [Int](repeating: 1, count: sorted.count)
        for (address, indices) in ofAddress {
            let most = count(address)
            for (turn, index) in indices.reversed().enumerated() { ranks[index] = most - turn }
        }
        order = sorted.indices.sorted { (ranks[$0], $0) < (ranks[$1], $1) }
    }

    /// Takes the next candidate out of the order.
    ///
    /// - Parameter address: only candidates of this address; nil: of any.
    mutating func next(of address: ClientAddress?) -> Candidate? {
        while let index = address.map({ ofAddress[$0]?.popLast() }) ?? order.popLast() {
            if let candidate = candidates[index].take() { return candidate }
        }
        return nil
    }
}
