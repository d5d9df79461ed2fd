import Instruments
import NIOCore

/// The places of the loop's connections, and which of them give way; see ``ConnectionPlaces``.
extension EdgeLoop {
    /// How often the resting connections are looked at, at most.
    private static let orderInterval = TimeAmount.milliseconds(50)
    /// A surplus connection that rests for this long is closed.
    private static let surplusPatience = TimeAmount.seconds(2)

    /// Gives an accepted connection its place.
    ///
    /// - Returns: nil if even surplus connections have no room.
    func seat(for address: ClientAddress?) -> ConnectionSeat? {
        var refusal = places.take(address)
        if let first = refusal, evict(for: address, first) { refusal = places.take(address) }
        guard refusal == nil || places.takeSurplus(address) else { return nil }
        let seat = ConnectionSeat(address: address, isSurplus: refusal != nil)
        seat.move(to: seats.count)
        seats.append(seat)
        instruments.connections.add(1)
        return seat
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
        if seat.isSurplus {
            places.giveBackSurplus(seat.address)
        } else {
            places.giveBack(seat.address)
        }
        instruments.connections.subtract(1)
    }

    /// Closes the connection of this loop that can best be spared for one of `address`.
    ///
    /// - Returns: false if there is none.
    func evict(for address: ClientAddress?, _ refusal: ConnectionPlaces.Book.Refusal) -> Bool {
        let now = readClock()
        // The place of another address would not help.
        let wanted = refusal == .shareUsedUp ? address : nil
        orderEvictions(now)
        while let next = evictions.next(of: wanted) {
            guard next.seat.index >= 0, let occupant = next.seat.occupant,
                occupant.restingSince(now: now) == next.since
            else { continue }
            instruments.connectionsEvicted.increment()
            leave(next.seat)
            occupant.giveWay()
            return true
        }
        return false
    }

    private func orderEvictions(_ now: NIODeadline) {
        if let orderedAt, now - orderedAt < Self.orderInterval { return }
        orderedAt = now
        let resting: [EvictionOrder<ConnectionSeat>.Candidate] = seats.compactMap { seat in
            guard !seat.isSurplus, let since = seat.occupant?.restingSince(now: now) else {
                return nil
            }
            return .init(seat: seat, address: seat.address, since: since)
        }
        evictions = places.counts { EvictionOrder(resting, count: $0) }
    }

    /// Closes surplus connections that rest.
    func sweepSurplus(_ now: NIODeadline) {
        for seat in seats where seat.isSurplus {
            guard let occupant = seat.occupant, let since = occupant.restingSince(now: now),
                now - since >= Self.surplusPatience
            else { continue }
            occupant.giveWay()
        }
    }
}
