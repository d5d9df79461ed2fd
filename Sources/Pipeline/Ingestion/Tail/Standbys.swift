import Postgres

/// Which copies of the database there are, and up to which position all of them have its log on disk;
/// decides only.
///
/// A standby that is seen counts until the primary was seen without it for ``goneAfter``: one that just
/// lost its connection is the very one that may be promoted. Time in which nobody could look does not
/// count: the standby may have been there. One that has a slot counts for as long as the slot exists, and
/// no longer; where the slot is lost, the standby counts as one that has gone without.
///
/// Several of one name can't be told apart. Where fewer are seen than before, the last position that all
/// of them had counts; unless all came from one address, and who is left has passed them all: then it was
/// one standby, whose old connection the primary had not given up yet.
struct Standbys {
    private struct Known {
        /// How many there were of this name, at most.
        var count: Int
        /// What all of them have.
        var flushed: UInt64
        /// What none of them had passed when all were seen last.
        let furthest: UInt64
        let addresses: Set<String>
        let hasSlot: Bool
        /// When all of them were seen last; see `watched`.
        let completeAt: Duration

        init(_ positions: [StandbyPosition], now: Duration) {
            let all = positions.map { $0.flushed ?? 0 }
            (count, flushed, furthest) = (positions.count, all.min() ?? 0, all.max() ?? 0)
            addresses = Set(positions.map(\.address))
            hasSlot = positions.contains(where: \.hasSlot)
            completeAt = now
        }
    }

    /// For how long a standby counts that is not seen any more.
    static let goneAfter: Duration = .seconds(3600)
    /// Of the time between two looks at the primary, at most so much was watched.
    static let lookMax: Duration = .seconds(2)

    /// For how long primaries were looked at.
    private var watched: Duration = .zero
    private var lookedAt: ContinuousClock.Instant?
    private var known: [String: Known] = [:]
    /// As many followed the primary before this one, besides it, and may be promoted yet; until then.
    private var missing: (count: Int, until: Duration)?
    private(set) var isHidden = false
    /// Names of slots that are there and of no use any more.
    private(set) var lostSlots: Set<String> = []

    /// How many count.
    var count: Int { max(seen, missing?.count ?? 0) }

    private var seen: Int { known.values.reduce(0) { $0 + $1.count } }

    /// How many there are for certain: two of one name and address may be one that has come back.
    private var distinct: Int {
        known.values.reduce(0) { $0 + min($1.count, $1.addresses.count) }
    }

    /// Where the log is that all have which count; nil: there are none.
    var flushed: UInt64? { missing != nil ? 0 : known.values.map(\.flushed).min() }

    /// What is seen from now on follows another primary, which was one of those that are known.
    mutating func follow() {
        let others = count - 1
        known = [:]
        missing = others > 0 ? (others, watched + Self.goneAfter) : nil
    }

    mutating func see(_ positions: [StandbyPosition], now: ContinuousClock.Instant) {
        watched += lookedAt.map { min(now - $0, Self.lookMax) } ?? .zero
        lookedAt = now
        lostSlots = Set(positions.lazy.filter(\.isLost).map(\.name))
        let positions = positions.filter { !$0.isLost }
        isHidden = positions.contains { $0.flushed == nil }
        let byName = Dictionary(grouping: positions, by: \.name)
        for (name, positions) in byName {
            let now = Known(positions, now: watched)
            guard var before = known[name], before.count > now.count,
                now.completeAt - before.completeAt <= Self.goneAfter,
                before.addresses.count > 1 || now.flushed < before.furthest
            else {
                known[name] = now
                continue
            }
            before.flushed = min(before.flushed, now.flushed)
            known[name] = before
        }
        known = known.filter { name, standby in
            byName[name] != nil
                || (!standby.hasSlot || lostSlots.contains(name))
                    && watched - standby.completeAt <= Self.goneAfter
        }
        if let missing, distinct >= missing.count || watched >= missing.until { self.missing = nil }
    }
}
