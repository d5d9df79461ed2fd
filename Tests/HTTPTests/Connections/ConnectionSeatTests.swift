import NIOCore
import NIOEmbedded
import Testing

@testable import HTTP
@testable import HTTPSupport

/// Seats of one loop, whose occupants rest or work as a test says. Without sockets; the clock
/// stands.
@Suite struct ConnectionSeatTests {
    private final class Occupant: SeatOccupant {
        var since: NIODeadline?
        var isFresh = true
        var hasGivenWay = false

        init(since: NIODeadline?) { self.since = since }

        func rest(now: NIODeadline) -> ConnectionRest? {
            since.map { ConnectionRest(since: $0, isFresh: isFresh) }
        }

        func giveWay() { hasGivenWay = true }
    }

    private static func rig(connections: Int, surplus: Int) throws -> ConnectionRig {
        let rig = try ConnectionRig {
            $0.connectionsMax = connections
            $0.surplusMax = surplus
        }
        rig.disconnect()
        rig.loop.seats.forEach(rig.loop.leave)
        rig.advance(10)
        return rig
    }

    private static func address(_ last: Int) throws -> ClientAddress {
        try #require(ClientAddress(try SocketAddress(ipAddress: "192.0.2.\(last)", port: 1)))
    }

    /// A connection that has rested since it came, or works.
    private static func enter(
        _ rig: ConnectionRig, _ address: ClientAddress, rests: Bool = true
    ) throws -> (seat: ConnectionSeat, occupant: Occupant) {
        let seat = try #require(rig.loop.seat(for: address))
        let occupant = Occupant(since: rests ? rig.eventLoop.now : nil)
        seat.occupy(occupant)
        return (seat, occupant)
    }

    @Test func `of a burst within one moment each connection gets a place`() throws {
        let rig = try Self.rig(connections: 10, surplus: 4)
        let one = try Self.address(1)
        for _ in 0..<1000 {
            let (seat, _) = try Self.enter(rig, one)
            #expect(!seat.isSurplus)
        }
        #expect(rig.loop.seats.count == 8)
        let other = try Self.enter(rig, try Self.address(2))
        #expect(!other.seat.isSurplus)
    }

    @Test func `those that were never answered give way before those that were`() throws {
        let rig = try Self.rig(connections: 10, surplus: 4)
        let one = try Self.address(1)
        let worker = try Self.enter(rig, one)
        worker.occupant.isFresh = false
        for _ in 0..<100 {
            rig.advance(0.06)
            _ = try Self.enter(rig, one)
        }
        #expect(!worker.occupant.hasGivenWay)
        // Alone, it gives way as any other.
        rig.loop.seats.filter { $0 !== worker.seat }.forEach(rig.loop.leave)
        for _ in 0..<8 { _ = try Self.enter(rig, one, rests: false) }
        #expect(worker.occupant.hasGivenWay)
        // One that has worked a moment ago does not, even alone; the new one is a surplus one.
        for seat in rig.loop.seats { rig.loop.leave(seat) }
        for _ in 0..<7 { _ = try Self.enter(rig, one, rests: false) }
        let other = try Self.enter(rig, one)
        other.occupant.isFresh = false
        rig.advance(0.9)
        #expect(try Self.enter(rig, one).seat.isSurplus && !other.occupant.hasGivenWay)
        rig.advance(0.2)
        #expect(try !Self.enter(rig, one).seat.isSurplus && other.occupant.hasGivenWay)
    }

    @Test func `a surplus connection that rests gives way to a new one`() throws {
        let rig = try Self.rig(connections: 10, surplus: 10)
        let one = try Self.address(1)
        for _ in 0..<8 { _ = try Self.enter(rig, one, rests: false) }
        var surplus: [Occupant] = []
        for _ in 0..<100 {
            let (seat, occupant) = try Self.enter(rig, one)
            #expect(seat.isSurplus)
            surplus.append(occupant)
        }
        // Its share of surplus places remains, the last of all among them.
        #expect(surplus.count { !$0.hasGivenWay } == 8 && surplus.last?.hasGivenWay == false)
        // Those that work stay, and no more are let in.
        for occupant in surplus { occupant.since = nil }
        rig.advance(1)
        #expect(rig.loop.seat(for: one) == nil)
        #expect(rig.loop.seat(for: try Self.address(2)) != nil)
    }
}
