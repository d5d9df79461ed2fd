/// Compares the scanner with simdjson On-Demand on the same bodies in one process.
///
/// Each ``Scenario`` makes its bodies and checks that all implementations read them alike: the
/// scanner's rows must equal the fleet model's rows byte for byte. Then the implementations are
/// timed in turns: scanner, simdjson, scanner, simdjson… Only the ratio of neighbouring timings
/// counts.
///
/// simdjson is compiled for this machine and picks its kernel at run time. It can find fields in
/// three ways; the opponent uses the way that is fastest in the scenario. The opponent extracts
/// and validates all fields but encodes nothing, so the comparison is harder for the scanner. The
/// ratio against an opponent that encodes is reported as well.

/// One kind of body, and the ratio that the scanner should reach on it.
package struct Scenario: Sendable {
    /// What the scanner is compared with.
    enum Opponent: Sendable {
        case simdjson
        /// The scanner itself, fed with whole bodies.
        case wholeBodies
    }

    package let name: String
    package let goal: Double
    var opponent = Opponent.simdjson
    /// Whether the fields are in the order that simdjson's ordered look-up needs.
    var isOrdered = false
    /// Bytes that the scanner gets at a time; nil for whole bodies.
    var chunkBytes: Int?
    /// Whether the scanner may remember the devices of earlier bodies, as a server does.
    var knowsSenders = true
    let corpus: @Sendable (_ readings: Int, _ seed: UInt64) -> Corpus

    package static let all: [Scenario] = [
        .canonicalOrder, .fixedOrder, .randomOrder, .smallBodies, .smallBodiesOfStrangers,
        .indented, .escapesAndDigits,
        .cutBodies,
    ]
}
