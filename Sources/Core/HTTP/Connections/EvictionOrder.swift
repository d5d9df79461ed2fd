import NIOCore
import Synchronization

/// The order in which resting connections give way to new ones.
///
/// First those of the address that has the most places, down to where the next address has as
/// many. Of one address, and among equals, first those that have had no request, then the one that
/// has rested longest. So whoever opens many connections loses his own, and those that he works
/// with last.
struct EvictionOrder<Seat> {
    struct Candidate {
        let seat: Seat
        let address: ClientAddress?
        let rest: ConnectionRest
    }

    private var candidates: [Candidate?] = []
    /// Indices; the next one is the last.
    private var order: [Int] = []
    private var ofAddress: [ClientAddress: [Int]] = [:]

    init() {}

    /// - Parameter count: places that an address has, on all loops.
    /// - Complexity: O(n log n).
    init(_ resting: [Candidate], count: (ClientAddress?) -> Int) {
        let sorted = resting.sorted { $0.rest.isSpared(before: $1.rest) }
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
