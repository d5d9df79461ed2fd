/// What the answers said of the readings.
public struct Tally: Sendable, Equatable {
    /// 400 and 422 answers to batches that were malformed on purpose.
    public var expectedRefusals = 0
    /// 200s and 202s that are not those of the server's `/ingest`.
    public var unreadableAnswers = 0
    /// Readings of all sent batches.
    public var readingsSent = 0
    /// Sums of the counts in 200s.
    public var totals = AnswerCounts()
    /// Readings of the 202s.
    public var spooledReadings = 0
    /// Readings of 2xx answers without counts.
    public var uncountedReadings = 0
    /// Why a reading was quarantined, as the first such answer says.
    public var quarantineReason: String?

    /// Of no answer.
    public init() {}

    /// Whether readings were acknowledged, and all of them quarantined.
    var isOnlyQuarantined: Bool {
        totals.quarantined > 0 && totals.quarantined == acknowledgedReadings
    }

    /// Readings that a 2xx acknowledged.
    public var acknowledgedReadings: Int { totals.records + spooledReadings + uncountedReadings }
}
