/// What came of one seed.
package struct SimulationReport: Sendable {
    package let seed: UInt64
    /// What the oracle found wrong; the run ended with the first.
    package let violations: [String]
    /// Of all that happened, in its order.
    package let hash: UInt64
    /// What happened, if it was asked for.
    package let story: [String]
    package let steps: Int
    /// Of the run's own time.
    package let seconds: Double
    /// Stored at the end.
    package let readings: Int
    /// Units at the end, of each id one.
    package let units: Int
    package let answers: Int
    package let spooledAnswers: Int
    package let crashes: Int
}
