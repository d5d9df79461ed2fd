/// The result of one seed.
package struct SimulationReport: Sendable {
    package let seed: UInt64
    /// The violations that the oracle found; the first one ended the run.
    package let violations: [String]
    /// A hash of all events, in their order.
    package let hash: UInt64
    /// The story of the run, if it was asked for.
    package let story: [String]
    package let steps: Int
    /// Simulated time.
    package let seconds: Double
    /// Readings stored at the end.
    package let readings: Int
    /// Units stored at the end, one for each id, and rejected units.
    package let units: Int
    package let answers: Int
    package let spooledAnswers: Int
    package let crashes: Int
}
