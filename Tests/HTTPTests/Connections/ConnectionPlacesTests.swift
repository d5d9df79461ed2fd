import NIOCore
import Testing

@testable import HTTP
@testable import HTTPSupport

/// Who gets a place, and who gives way. Without sockets and clocks.
@Suite struct ConnectionPlacesTests {
    private static func address(_ last: Int) throws -> ClientAddress {
        try #require(ClientAddress(try SocketAddress(ipAddress: "192.0.2.\(last)", port: 1)))
    }

    @Test(arguments: [(1, 1), (2, 1), (3, 2), (5, 4), (10, 8), (200, 160), (8192, 6553)])
    func `one address gets four fifths, and there is room for others`(
        _ max: Int, _ share: Int
    ) throws {
        var book = SharedPlaces<ClientAddress>(max: max)
        let one = try Self.address(1)
        while book.take(one) == nil {}
        #expect(book.taken == share && book.count(of: one) == share)
        #expect(book.refusal(for: one) == (max == share ? .full : .shareUsedUp))
        for other in 2..<250 where book.taken < max {
            let refusal = book.take(try Self.address(other))
            #expect(refusal == nil)
        }
        while book.take(nil) == nil {}
        let next = try Self.address(250)
        #expect(book.taken == max && book.refusal(for: next) == .full)
        book.giveBack(book.count(of: one) > 1 ? one : nil)
        #expect(book.refusal(for: next) == nil)
    }

    /// Candidates as address and age; the ages are their names.
    private func order(_ resting: [(Int, Int64)], counts: [Int: Int]) throws -> EvictionOrder<Int64>
    {
        let now = NIODeadline.uptimeNanoseconds(1_000_000_000_000)
        var places: [ClientAddress: Int] = [:]
        for (last, count) in counts { places[try Self.address(last)] = count }
        let candidates = try resting.map { last, age in
            EvictionOrder<Int64>.Candidate(
                seat: age, address: try Self.address(last),
                rest: ConnectionRest(since: now - .seconds(age), isFresh: false))
        }
        return EvictionOrder(candidates) { $0.flatMap { places[$0] } ?? 1 }
    }

    @Test func `the idlest of the address with most places gives way first`() throws {
        var order = try order(
            [(1, 5), (2, 90), (1, 7), (3, 40), (1, 6), (3, 50)], counts: [1: 4, 2: 1, 3: 2])
        var seen: [Int64] = []
        while let next = order.next(of: nil) { seen.append(next.seat) }
        // The first address from 4 places to 2, then as the third; then whoever rests longest.
        #expect(seen == [7, 6, 50, 5, 90, 40])
    }

    @Test func `an address with its share loses its own`() throws {
        let one = try Self.address(1)
        var order = try order([(1, 5), (2, 90), (1, 7)], counts: [1: 2, 2: 1])
        let seen = [one, nil, one, one, nil].map { order.next(of: $0)?.seat }
        #expect(seen == [7, 90, 5, nil, nil])
    }
}
