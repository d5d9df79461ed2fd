import Readings
import Testing

@testable import Analysis

@Suite struct GoldenTests {
    /// Counts for precision and recall.
    private struct Score: CustomStringConvertible {
        var right = 0
        var wrong = 0
        var missed = 0
        var notes: [String] = []

        mutating func take(_ found: [String], expected: [String], _ text: String) {
            let (found, expected) = (Set(found), Set(expected))
            right += found.intersection(expected).count
            wrong += found.subtracting(expected).count
            missed += expected.subtracting(found).count
            if found != expected {
                notes.append("\(expected.sorted()) ≠ \(found.sorted()): \(text)")
            }
        }

        var precision: Double { Double(right) / Double(max(1, right + wrong)) }
        var recall: Double { Double(right) / Double(max(1, right + missed)) }

        var description: String {
            let digits = [precision, recall].map { "\(($0 * 1000).rounded() / 1000)" }
            return "precision \(digits[0]), recall \(digits[1]) (\(right) right, \(wrong) wrong,"
                + " \(missed) missed)"
        }
    }

    private static func analysis(_ text: String) -> CaptureAnalysis {
        LocalAnalyser().found(
            AnalysisInput(
                transcription: text, image: nil, audioURL: nil,
                time: Timestamp(unixSeconds: 1_769_270_400),
                calendar: UserCalendar("America/New_York")))
    }

    @Test func `the golden set is found with the precision and recall that it had`() throws {
        let cases = try GoldenCase.all()
        var names = Score()
        var places = Score()
        var moods = Score()
        var themes = Score()
        for one in cases {
            let found = Self.analysis(one.text)
            names.take(found.mentionedNames, expected: one.names, one.text)
            places.take(
                found.location.map { [$0] } ?? [], expected: one.place.map { [$0] } ?? [], one.text)
            moods.take([found.mood], expected: [one.mood], one.text)
            // Extra themes are not mistakes; missing ones are.
            themes.take(
                found.themes.filter(one.themes.contains), expected: one.themes, one.text)
            #expect(CaptureAnalysis.Limits.themes.contains(found.themes.count))
        }
        print("golden set: \(cases.count) transcriptions")
        for (what, score) in [
            ("names", names), ("places", places), ("moods", moods), ("themes", themes),
        ] {
            print("golden \(what): \(score)")
            for note in score.notes { print("  \(what): \(note)") }
        }
        #expect(cases.count >= 80)
        #expect(names.precision >= 0.95 && names.recall >= 0.95, "names: \(names)")
        #expect(places.precision >= 0.9 && places.recall >= 0.9, "places: \(places)")
        #expect(moods.precision >= 0.9, "moods: \(moods)")
        #expect(themes.recall >= 0.9, "themes: \(themes)")
    }
}
