import Postgres

/// Which standbys there are, and up to which position all of them have the log on disk; decides
/// only.
///
/// A standby counts until the primary was seen without it for ``goneAfter``, because one that has
/// just lost its connection is the very one that may be promoted. Time in which nobody could look
/// does not count, because the standby may have been there. A standby with a slot counts exactly as
/// long as the slot exists; if the slot is lost, it counts like one without a slot.
///
/// Standbys of one name can't be told apart. If fewer are seen than before, the last position that
/// all of them had counts. If all came from one address, and the remaining ones have passed all
/// earlier positions, it was one standby, whose old connection the primary had not closed yet.
struct Standbys {
    private struct Known {
        /// How many there were of this name, at most.
        var count: Int
        /// The position that all of them have.
        var flushed: UInt64
        /// The furthest position of any when all were last seen.
        let furthest: UInt64
        let addresses: Set<String>
        let hasSlot: Bool
        /// When all of them were last seen; see `watched`.
        let completeAt: Duration

        init(_ positions: [StandbyPosition], now: Duration) {
            let all = positions.map { $0.flushed ?? 0 }
            (count, flushed, furthest) = (positions.count, all.min() ?? 0, all.max() ?? 0)
            addresses = Set(positions.map(\.address))
            hasSlot = positions.contains(where: \.hasSlot)
            completeAt = now
        }
    }

    /// How long a standby counts after it was last seen.
    static let goneAfter: Duration = .seconds(3600)
    /// The most time between two looks that counts as watched.
    static let lookMax: Duration = .seconds(2)

    /// How long primaries have been watched.
    private var watched: Duration = .zero
    private var lookedAt: ContinuousClock.Instant?
    private var known: [String: Known] = [:]
    /// How many other standbys the previous primary had, which may still be promoted; until then.
    private var missing: (count: Int, until: Duration)?
    private(set) var isHidden = false
    /// Names of slots that exist but have lost their log.
    private(set) var lostSlots: Set<String> = []

    /// How many standbys count.
    var count: Int { max(seen, missing?.count ?? 0) }

    private var seen: Int { known.values.reduce(0) { $0 + $1.count } }

    /// How many there are for certain: two of one name and address may be one that reconnected.
    private var distinct: Int {
        known.values.reduce(0) { $0 + min($1.count, $1.addresses.count) }
    }

    /// The position that all have; 0 while some are missing; nil: there are none.
    var flushed: UInt64? { missing != nil ? 0 : known.values.map(\.flushed).min() }

    /// From now on the standbys follow another primary, which was one of those that are known.
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
        // A standby may lose its slot before anybody has looked. Then it is one of the missing
        // ones, and another standby, such as the previous primary, does not stand for it.
        let unseen = lostSlots.subtracting(known.keys).count
        if let missing, distinct >= missing.count + unseen || watched >= missing.until {
            self.missing = nil
        }
    }
}
