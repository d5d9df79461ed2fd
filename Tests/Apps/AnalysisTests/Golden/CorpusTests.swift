import Foundation
import Testing

@testable import Analysis

/// How well the analyser reads captures by people who had not seen it. The test prints the scores
/// and compares them with the scores it once reached. `Corpora/open.json` may be looked at; other
/// files beside it are measured in the same way.
@Suite struct CorpusTests {
    private struct Capture: Decodable {
        let text: String
        let contacts: [String]
        let sentiment: String
    }

    private static func corpora() throws -> [(name: String, captures: [Capture])] {
        let directory = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Corpora")
        let files = try FileManager.default.contentsOfDirectory(atPath: directory.path())
        return try files.filter { $0.hasSuffix(".json") }.sorted().map { file in
            let json = try Data(contentsOf: directory.appending(path: file))
            return (file, try JSONDecoder().decode([Capture].self, from: json))
        }
    }

    /// In lower case and without a title, which a speaker may say or omit.
    private static func name(_ text: String) -> String {
        var words = text.lowercased().split(separator: " ").map(String.init)
        while words.count > 1,
            Kinship.titles[words[0].filter(\.isLetter)] != nil
                || Kinship.familyTitles[words[0]] != nil
        {
            words.removeFirst()
        }
        return words.joined(separator: " ")
    }

    /// Whether a mood is positive, negative or neutral. The corpora use their writers' own words
    /// for moods, so only this is compared.
    private static func sentiment(_ mood: String) -> String {
        switch MoodLexicon.Mood(rawValue: mood) {
        case .excited, .happy, .grateful, .loving, .proud, .amused, .hopeful, .inspired, .relaxed:
            "positive"
        case nil, .curious, .focused, .surprised, .nostalgic: "neutral"
        default: "negative"
        }
    }

    @Test func `captures that the analyser was not written for are read well`() throws {
        for (file, captures) in try Self.corpora() {
            var (right, wrong, missed, felt) = (0, 0, 0, 0)
            print("corpus \(file):")
            for capture in captures {
                let text = SpokenText(capture.text)
                // The corpora's writers don't count as contacts people who are named only by
                // kinship.
                let people = NameFinder(text).people().filter {
                    Kinship.family[$0.name.lowercased()] == nil
                }
                let found = Set(people.map { Self.name($0.name) })
                let expected = Set(capture.contacts.map(Self.name))
                right += found.intersection(expected).count
                wrong += found.subtracting(expected).count
                missed += expected.subtracting(found).count
                if found != expected {
                    print("  \(expected.sorted()) ≠ \(found.sorted()): \(capture.text)")
                }
                let mood = MoodReader.read(text).mood
                let isFelt = ["mixed", Self.sentiment(mood)].contains(capture.sentiment)
                felt += isFelt ? 1 : 0
                if !isFelt { print("  \(capture.sentiment) ≠ \(mood): \(capture.text)") }
            }
            let precision = Double(right) / Double(max(1, right + wrong))
            let recall = Double(right) / Double(max(1, right + missed))
            let sentiment = Double(felt) / Double(max(1, captures.count))
            print("  contacts: precision \(precision), recall \(recall); sentiment \(sentiment)")
            let isOpen = file == "open.json"
            #expect(precision >= (isOpen ? 0.95 : 0.85), "\(file)")
            #expect(recall >= (isOpen ? 0.95 : 0.8), "\(file)")
            #expect(sentiment >= (isOpen ? 0.88 : 0.7), "\(file)")
        }
    }

    /// Of the two halves, `open` may be looked at and `kept` is only measured. The bounds are what
    /// was reached.
    @Test(arguments: [("open", 0, 0), ("kept", 1, 1)])
    func `a relation is the speaker's, a place was visited, and a contact is a person`(
        half: String, inventedMax: Int, missedMax: Int
    ) throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Corpora/Kinds/\(half).json")
        let captures = try JSONDecoder().decode([KindCapture].self, from: Data(contentsOf: file))
        let score = KindScore(on: captures)
        print("kinds \(half): \(score)")
        if half == "open" { for remark in score.remarks { print("  \(remark)") } }
        #expect(score.wrongRelationships == 0)
        #expect(score.missedRelationships == 0)
        #expect(score.wrongPlaces == 0)
        #expect(score.invented <= inventedMax)
        #expect(score.missed <= missedMax)
    }
}
