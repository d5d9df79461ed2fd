import Postgres

/// Which copies of the database there are, and up to which position all of them have its log on disk;
/// decides only.
///
/// A standby that is seen counts until it has not been seen for ``goneAfter``: one that just lost its
/// connection is the very one that may be promoted. Two of one name (PostgreSQL's default is
/// `walreceiver`) from one address can't be told apart; while one of them is missing, the last position
/// that all of them had counts.
struct Standbys {
    private struct Known {
        /// How many there were of this name, at most.
        var count = 0
        /// What all of them have.
        var flushed: UInt64 = 0
        /// When all of them were seen last.
        var completeAt: ContinuousClock.Instant
    }

    /// For how long a standby counts that is not seen any more.
    static let goneAfter: Duration = .seconds(3600)

    private var known: [String: Known] = [:]
    /// Of slots that nobody uses now, as of the last look.
    private var idleSlots: UInt64?
    private(set) var isHidden = false

    /// How many count.
    var count: Int { known.values.reduce(idleSlots == nil ? 0 : 1) { $0 + $1.count } }

    /// Where the log is that all have which count; nil: there are none.
    var flushed: UInt64? {
        let least = known.values.map(\.flushed).min()
        guard let idleSlots else { return least }
        return min(idleSlots, least ?? idleSlots)
    }

    mutating func see(_ seen: [StandbyPosition], now: ContinuousClock.Instant) {
        isHidden = seen.contains { $0.flushed == nil }
        idleSlots = seen.filter(\.isIdleSlot).map { $0.flushed ?? 0 }.min()
        let byName = Dictionary(grouping: seen.filter { !$0.isIdleSlot }, by: \.name)
        for (name, positions) in byName {
            var standby = known[name] ?? Known(completeAt: now)
            let least = positions.map { $0.flushed ?? 0 }.min() ?? 0
            if positions.count >= standby.count || now - standby.completeAt > Self.goneAfter {
                standby = Known(count: positions.count, flushed: least, completeAt: now)
            } else {
                standby.flushed = min(standby.flushed, least)
            }
            known[name] = standby
        }
        known = known.filter { name, standby in
            byName[name] != nil || now - standby.completeAt <= Self.goneAfter
        }
    }
}
