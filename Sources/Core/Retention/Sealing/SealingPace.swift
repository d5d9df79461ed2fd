/// What a keeper of sealed days remembers between its rounds: which days readings come to now, and
/// when late readings were packed.
///
/// A day into which readings are imported stays live: a row costs less than a late reading of a
/// sealed day, which is a row of its own until it is packed, and each packing writes all that the
/// device has on that day. A few late readings keep no day back.
struct SealingPace {
    /// How long no readings have come to a day before it is sealed.
    private let quietMin: Duration
    /// Late readings are packed no more often than this.
    private let mergeInterval: Duration
    /// The rows that were ever added to a partition, and since when hardly more were.
    private var added: [DayPartition: (rows: Int, since: ContinuousClock.Instant)] = [:]
    private var mergedAt: ContinuousClock.Instant?

    init(quietMin: Duration = .zero, mergeInterval: Duration = .zero) {
        self.quietMin = quietMin
        self.mergeInterval = mergeInterval
    }

    /// Takes how many rows were ever added to each partition that might be sealed.
    ///
    /// - Returns: those to which hardly any were added for long enough: at most one in a hundred.
    mutating func quiet(
        _ rows: [DayPartition: Int], at now: ContinuousClock.Instant
    ) -> Set<DayPartition> {
        added = rows.reduce(into: [:]) { known, entry in
            let before = added[entry.key] ?? (rows: .min, since: now)
            let isQuiet =
                (before.rows...(before.rows + max(before.rows, 0) / 100)).contains(entry.value)
            known[entry.key] = isQuiet ? before : (entry.value, now)
        }
        return Set(added.filter { now - $0.value.since >= quietMin }.keys)
    }

    /// Whether late readings are to be packed in this round.
    func mergeIsDue(at now: ContinuousClock.Instant) -> Bool {
        mergedAt.map { now - $0 >= mergeInterval } ?? true
    }

    /// - Parameter isComplete: nothing was left for lack of time.
    mutating func merged(isComplete: Bool, at now: ContinuousClock.Instant) {
        mergedAt = isComplete ? now : nil
    }
}
