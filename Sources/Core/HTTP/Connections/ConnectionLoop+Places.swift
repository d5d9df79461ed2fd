import Instruments
import NIOCore

/// The places of the loop's connections, and which of them give way; see ``ConnectionPlaces``.
extension ConnectionLoop {
    /// How often the resting connections are looked at while that makes no room, at most.
    private static let orderInterval = TimeAmount.milliseconds(50)
    /// A surplus connection that rests for this long is closed.
    private static let surplusPatience = TimeAmount.seconds(2)

    /// Gives an accepted connection its place.
    ///
    /// - Returns: nil if even surplus connections have no room.
    func seat(for address: ClientAddress?) -> ConnectionSeat? {
        let kinds: [ConnectionPlaces.Kind] = [.regular, .surplus]
        guard let kind = kinds.first(where: { take($0, address) }) else { return nil }
        let seat = ConnectionSeat(address: address, kind)
        seat.move(to: seats.count)
        seats.append(seat)
        instruments.connections.add(1)
        return seat
    }

    /// Takes a place, if need be that of a connection of this loop.
    private func take(_ kind: ConnectionPlaces.Kind, _ address: ClientAddress?) -> Bool {
        guard let refusal = places.take(kind, address) else { return true }
        return evict(kind, for: address, refusal) && places.take(kind, address) == nil
    }

    /// Gives a surplus connection a place, if there is one.
    ///
    /// - Returns: whether it has one.
    func promote(_ seat: ConnectionSeat) -> Bool {
        guard seat.isSurplus else { return true }
        guard seat.index >= 0, places.promote(seat.address) else { return false }
        seat.promoted()
        return true
    }

    /// The connection is gone, or is none of HTTP any more. May be called again.
    func leave(_ seat: ConnectionSeat) {
        guard seat.index >= 0 else { return }
        let last = seats.removeLast()
        if last !== seat {
            precondition(seats[seat.index] === seat, "BUG: seat \(seat.index) is not there")
            seats[seat.index] = last
            last.move(to: seat.index)
        }
        seat.leave()
        places.giveBack(seat.kind, seat.address)
        instruments.connections.subtract(1)
    }

    /// Closes the connection of this loop that can best be spared for one of `address`.
    ///
    /// - Returns: false if there is none.
    func evict(
        _ kind: ConnectionPlaces.Kind, for address: ClientAddress?,
        _ refusal: ConnectionPlaces.Refusal
    ) -> Bool {
        let now = readClock()
        // The place of another address would not help.
        let wanted = refusal == .shareUsedUp ? address : nil
        if let known = evictions[kind], now - known.orderedAt < Self.orderInterval {
            if evictNext(kind, of: wanted, now) { return true }
            // A burst may bring more connections within the interval than were in the order. Each
            // look at all seats must have made room, so that those that find none cost little.
            guard known.hasEvicted else { return false }
        }
        evictions[kind] = Evictions(order: order(kind, now), orderedAt: now)
        return evictNext(kind, of: wanted, now)
    }

    private func evictNext(
        _ kind: ConnectionPlaces.Kind, of address: ClientAddress?, _ now: NIODeadline
    ) -> Bool {
        while let next = evictions[kind]?.order.next(of: address) {
            guard next.seat.index >= 0, next.seat.kind == kind, let occupant = next.seat.occupant,
                occupant.rest(now: now) == next.rest
            else { continue }
            instruments.connectionsEvicted.increment()
            leave(next.seat)
            occupant.giveWay()
            evictions[kind]?.hasEvicted = true
            return true
        }
        return false
    }

    private func order(
        _ kind: ConnectionPlaces.Kind, _ now: NIODeadline
    ) -> EvictionOrder<ConnectionSeat> {
        let resting: [EvictionOrder<ConnectionSeat>.Candidate] = seats.compactMap { seat in
            guard seat.kind == kind, let rest = seat.occupant?.rest(now: now), rest.mayEnd(now: now)
            else { return nil }
            return .init(seat: seat, address: seat.address, rest: rest)
        }
        let places = places.snapshot(kind)
        return EvictionOrder(resting) { places.count(of: $0) }
    }

    /// The connections of a kind that may give way.
    struct Evictions {
        var order: EvictionOrder<ConnectionSeat>
        let orderedAt: NIODeadline
        var hasEvicted = false
    }

    /// Closes surplus connections that rest.
    func sweepSurplus(_ now: NIODeadline) {
        for seat in seats where seat.isSurplus {
            guard let occupant = seat.occupant, let rest = occupant.rest(now: now),
                now - rest.since >= Self.surplusPatience
            else { continue }
            occupant.giveWay()
        }
    }
}
