/// The scanner against simdjson On-Demand on the same bodies, in one process.
///
/// Each ``Scenario`` makes its bodies and checks that every implementation reads them alike (the
/// scanner's rows must be byte for byte the rows that the fleet model computes). Then they are
/// timed in turns: scanner, simdjson, scanner, simdjson… Only the ratio of neighbours counts.
///
/// simdjson is compiled for this very machine and picks its kernel at run time. It has three ways
/// to find fields; the one that is fastest in the scenario is the other side. That side extracts
/// and validates all fields but encodes nothing: the harder comparison. The ratio with encoding is
/// given as well.

/// One kind of body and the ratio that the scanner should reach on it.
package struct Scenario: Sendable {
    /// What stands on the other side of the ratio.
    enum Opponent: Sendable {
        case simdjson
        /// The scanner itself, fed with whole bodies.
        case wholeBodies
    }

    package let name: String
    package let goal: Double
    var opponent = Opponent.simdjson
    /// Whether the fields come in the order in which simdjson's ordered look-up asks for them.
    var isOrdered = false
    /// Bytes at a time that the scanner gets; nil for whole bodies.
    var chunkBytes: Int?
    /// Whether the scanner may know the device of an earlier body, as a server does.
    var knowsSenders = true
    let corpus: @Sendable (_ readings: Int, _ seed: UInt64) -> Corpus

    package static let all: [Scenario] = [
        .canonicalOrder, .fixedOrder, .randomOrder, .smallBodies, .smallBodiesOfStrangers,
        .indented, .escapesAndDigits,
        .cutBodies,
    ]
}
