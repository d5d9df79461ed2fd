import Foundation

/// The result of a scenario; nanoseconds are per reading.
package struct Comparison: Codable, Sendable {
    package let scenario: String
    package let opponent: String
    package let goal: Double
    package let bytesPerReading: Double
    package let ownNanoseconds: Double
    package let otherNanoseconds: Double
    package let encodingNanoseconds: Double?
    /// Opponent's time ÷ own time of each pair, ascending.
    package let ratios: [Double]
    /// The median ratio against the opponent that encodes too.
    package let encodingRatio: Double?

    package static let heading = """
        scenario                        goal   ratio (min – max)       sluice  other  ns/reading \
        (against)
        """

    package var line: String {
        let middle = median(ratios)
        let extremes = String(format: "(%.2f – %.2f)", ratios.first ?? 0, ratios.last ?? 0)
        var text = scenario.padding(toLength: 30, withPad: " ", startingAt: 0)
        text += String(format: "  ≥ %.1f  %5.2f ", goal, middle)
        text += extremes.padding(toLength: 14, withPad: " ", startingAt: 0)
        text += middle >= goal ? " ok   " : " SHORT"
        text += String(format: " %6.1f %6.1f  (%@)", ownNanoseconds, otherNanoseconds, opponent)
        if let encodingRatio, let encodingNanoseconds {
            text += String(
                format: "; with encoding %.2f, %.1f ns", encodingRatio, encodingNanoseconds)
        }
        return text
    }
}
