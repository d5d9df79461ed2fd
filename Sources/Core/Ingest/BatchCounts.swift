/// What became of a committed batch, or of a part of one; the three numbers add up to its readings.
public struct BatchCounts: Sendable, Equatable {
    /// Readings that were new.
    public var stored = 0
    /// Readings that were stored already.
    public var duplicates = 0
    /// Readings that are in quarantine, with their reason.
    public var quarantined = 0
    /// Those of `quarantined` that the scanner does not know of.
    public var refusals = LaneRefusals()

    /// - Parameter refusals: see ``refusals``.
    public init(
        stored: Int = 0, duplicates: Int = 0, quarantined: Int = 0,
        refusals: LaneRefusals = LaneRefusals()
    ) {
        self.stored = stored
        self.duplicates = duplicates
        self.quarantined = quarantined
        self.refusals = refusals
    }

    /// The sum of the three numbers.
    public var count: Int { stored + duplicates + quarantined }

    static func += (sum: inout BatchCounts, part: BatchCounts) {
        sum.stored += part.stored
        sum.duplicates += part.duplicates
        sum.quarantined += part.quarantined
        if part.refusals.count > 0 { sum.refusals = sum.refusals + part.refusals }
    }
}
