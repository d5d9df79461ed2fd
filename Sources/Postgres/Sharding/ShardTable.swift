/// Which shard of a Citus table a row belongs to and which node has it: ranges of the distribution
/// column's hash, without gaps.
///
/// A value, as read at one moment. One that is out of date still sends rows to a Citus node, and
/// each node passes rows on to the one that has them: it costs speed and loses nothing.
public struct ShardTable: Sendable, Equatable {
    /// One row of the catalogs: a shard on a node.
    public struct Placement: Sendable, Equatable {
        /// The shard's id.
        public let shard: Int64
        /// The least hash, in decimal as the catalog has it; nil: the catalog has none.
        public let low: String?
        /// The greatest hash.
        public let high: String?
        /// nil: no node in use has it.
        public let owner: ShardOwner?

        /// As read.
        public init(shard: Int64, low: String?, high: String?, owner: ShardOwner?) {
            self.shard = shard
            self.low = low
            self.high = high
            self.owner = owner
        }
    }

    /// One shard.
    public struct Shard: Sendable, Equatable {
        /// Citus' number for it.
        public let id: Int64
        /// Hashes of the keys that it has.
        public let hashes: ClosedRange<Int32>
        /// Where it is.
        public let owner: ShardOwner

        /// A key of which a row would be here; that there is no such row is almost certain.
        public var someKey: Int64 { DistributionHash.key(in: hashes) }
    }

    /// In the order of their hashes; at least one.
    public let shards: [Shard]
    /// The least hash of each, for the search.
    private let lows: [Int32]

    /// - Parameter placements: in any order.
    public init(_ placements: [Placement]) throws(ShardTableFault) {
        var shards: [Shard] = []
        for placement in placements { shards.append(try Self.shard(placement)) }
        shards.sort { ($0.hashes.lowerBound, $0.id) < ($1.hashes.lowerBound, $1.id) }
        guard let first = shards.first, let last = shards.last else { throw .empty }
        guard first.hashes.lowerBound == .min else { throw .gap(behind: nil) }
        for (left, right) in zip(shards, shards.dropFirst()) {
            guard left.id != right.id else { throw .placedTwice(shard: left.id) }
            guard left.hashes.upperBound < right.hashes.lowerBound else {
                throw .overlap(left.id, right.id)
            }
            guard left.hashes.upperBound + 1 == right.hashes.lowerBound else {
                throw .gap(behind: left.id)
            }
        }
        guard last.hashes.upperBound == .max else { throw .gap(behind: last.id) }
        self.shards = shards
        lows = shards.map(\.hashes.lowerBound)
    }

    private static func shard(_ placement: Placement) throws(ShardTableFault) -> Shard {
        guard let owner = placement.owner else { throw .notPlaced(shard: placement.shard) }
        guard let low = placement.low.flatMap({ Int32($0) }),
            let high = placement.high.flatMap({ Int32($0) }), low <= high
        else { throw .boundsUnreadable(shard: placement.shard) }
        return Shard(id: placement.shard, hashes: low...high, owner: owner)
    }

    /// The place in ``shards`` of the one that has a key's rows. O(log shards).
    public func place(of key: Int64) -> Int {
        let hash = DistributionHash.hash(key)
        var (below, above) = (0, lows.count)
        // lows[below] <= hash < lows[above], where there is such a one.
        while above - below > 1 {
            let middle = (below + above) / 2
            if lows[middle] <= hash { below = middle } else { above = middle }
        }
        return below
    }

    /// All nodes that have shards, in order.
    public var owners: [ShardOwner] { Set(shards.map(\.owner)).sorted() }
}
