import Foundation
import Readings
import TestSupport
import Testing
import TextTables

@testable import Analysis

@Suite struct LocalAnalyserTests {
    private func people(_ text: String) -> [NameFinder.Person] {
        NameFinder(SpokenText(text)).people()
    }

    @Test(arguments: [
        ("Coffee with my sister Anna.", "Anna", "sister"),
        ("Anna, my sister, came by.", "Anna", "sister"),
        ("My boss Linda called.", "Linda", "boss"),
        ("Tom is my best friend.", "Tom", "friend"),
        ("We visited our neighbor Mrs. Kowalski.", "Mrs. Kowalski", "neighbor"),
        ("Uncle Bob cooked.", "Bob", "uncle"),
        ("Mom called.", "Mom", "mother"),
        ("A coworker named Dmitri helped me.", "Dmitri", "coworker"),
    ])
    func `a person's relationship to the speaker is recognised`(
        _ text: String, _ name: String, _ relationship: String
    ) throws {
        let person = try #require(people(text).first)
        #expect(person.name == name)
        #expect(person.relationship == relationship)
    }

    @Test func `an abbreviation ends no sentence`() {
        let sentences = [
            "We met at 5 p.m. with Anna-Lena.", "No. 7 in St. Gallen was closed.", "No.",
            "We left at 6 p.m.", "Then home.",
        ]
        #expect(SpokenText(sentences.joined(separator: " ")).sentences == sentences)
    }

    @Test(arguments: [
        ["\"Really?\" asked Anna.", "She left (finally!)", "He said \"stop.\"", "Ok?!"],
        ["\"Hi!\" said Bob.", "\"Bye.\"", "(We left.)", "It is 3.5 miles.", "Then home!"],
        ["See http://example.com/a.b?c=d for more.", "“What a day!”", "It was (at last!) warm."],
        ["„Hallo!“ sagte Anna.", "«Merci !» dit Tom.", "»Ja.«", "‘No?’", "Well…", "Yes."],
        ["so happy!", "met tom?", "yes...", "i left"],
        ["هل أنت بخير؟", "नमस्ते।", "मैं दिल्ली गया॥", "ٹھیک ہے۔", "ሰላም።", "Բարև։", "สวัสดี"],
    ])
    func `a sentence has its closing marks, quotes and brackets`(_ sentences: [String]) {
        #expect(SpokenText(sentences.joined(separator: " ")).sentences == sentences)
    }

    @Test func `marks of scripts without spaces need none`() {
        let sentences = [
            "今日は東京で会いました。", "『行こう。』", "楽しかった！", "「本当？！」", "他说。", "再见！", "“好。”",
            "\"走吧。\"",
        ]
        let text = SpokenText(sentences.joined())
        #expect(text.sentences == sentences)
        for number in sentences.indices {
            #expect(text.words(ofSentence: number).allSatisfy { $0.sentence == number })
        }
    }

    @Test(arguments: ["Hi! ", "?\"", ". ", "a.   ", "(No!) ", "。『", "? a", "&. x"])
    func `the time to split grows with the length`(_ piece: String) {
        func time(_ count: Int) -> Duration {
            let text = String(repeating: piece, count: count) + String(repeating: " ", count: count)
            return (0..<3).map { _ in
                ProcessorTime.measure {
                    let spoken = SpokenText(text)
                    for number in spoken.sentences.indices {
                        _ = spoken.words(ofSentence: number).count
                    }
                }
            }.min()!
        }
        #expect(time(10_000) < time(1000) * 40 + .milliseconds(20))
    }

    @Test func `a place keeps the full stop of its initials`() {
        for said in ["We met in the U.S.", "In the U.S. with Tom."] {
            #expect(LocalAnalyser().found(TestMoments.input(said)).location == "the U.S.")
        }
    }

    @Test func `a plural relationship applies to everybody in the list`() {
        let found = people("Dinner with my friends Sarah, Tom and Priya.")
        #expect(found.map(\.name) == ["Sarah", "Tom", "Priya"])
        #expect(found.map(\.relationship) == ["friend", "friend", "friend"])
    }

    @Test func `a first name and the full name are one person`() {
        #expect(people("John called. Later I met John Smith.").map(\.name) == ["John Smith"])
        #expect(people("I met John Smith. Later JOHN left, and john's dog.").count == 1)
    }

    @Test(arguments: [
        "In April we fly to Paris.", "Nobody at Apple works on Monday.",
        "The Museum of Modern Art opens in May.", "I love New York.", "Speaking English all day.",
        "Christmas is near.", "Watched Netflix on my iPhone.", "OK. Great. Thanks!",
    ])
    func `months, places, brands and starts of sentences are not persons`(_ text: String) {
        #expect(people(text).isEmpty)
    }

    @Test(arguments: [
        ("I am happy.", "happy"), ("I am not happy.", "sad"), ("I am not sad.", "neutral"),
        ("I'm a bit tired but very excited!", "excited"), ("Nothing special.", "neutral"),
        ("My good friend came.", "neutral"), ("I never felt so angry.", "neutral"),
    ])
    func `negation and degree change the mood`(_ text: String, _ mood: String) {
        #expect(LocalAnalyser().found(TestMoments.input(text)).mood == mood)
    }

    @Test func `the clients' samples are understood`() {
        let met = LocalAnalyser().found(
            TestMoments.input("Just met with John at the coffee shop to discuss the project."))
        #expect(met.mentionedNames == ["John"])
        #expect(met.location == "the coffee shop")
        #expect(met.themes.prefix(2).sorted() == ["coffee", "work"])
        #expect(met.keyMoment == "Just met with John at the coffee shop to discuss the project.")
        #expect(met.imageSummary == nil)
        let walk = LocalAnalyser().found(TestMoments.input("Walking through MIT campus"))
        #expect(walk.location == "MIT campus")
        #expect(walk.mentionedNames.isEmpty)
    }

    @Test func `a capture without words or photo has an analysis`() {
        let found = LocalAnalyser().found(TestMoments.input(nil))
        #expect(found.themes == ["everyday life", "moments"])
        #expect(found.mood == "neutral")
        #expect(found.keyMoment == "A moment")
    }

    @Test func `the key moment is the sentence with people and success`() {
        let found = LocalAnalyser().found(
            TestMoments.input(
                "Woke up late. Then Maria and I finally finished the marathon! Went home."))
        #expect(found.keyMoment == "Then Maria and I finally finished the marathon!")
    }

    @Test(arguments: [
        (
            "Met Anna for lunch. She finally got the job, I am so happy and proud!",
            "Met Anna for lunch. She finally got the job, I am so happy and proud!"
        ),
        (
            "Amazing, wonderful, I am so happy! Dinner with Tom",
            "Amazing, wonderful, I am so happy! Dinner with Tom."
        ),
    ])
    func `the key moment keeps what happened and with whom`(said: String, moment: String) {
        #expect(LocalAnalyser().found(TestMoments.input(said)).keyMoment == moment)
    }

    @Test func `a very long sentence is cut at a word`() {
        let text = String(repeating: "walking and talking ", count: 200)
        let moment = LocalAnalyser().found(TestMoments.input(text)).keyMoment
        #expect(moment.count <= 240 && moment.hasSuffix("…"))
    }

    /// Whatever the text, the analysis obeys its rules: `found` traps when it does not.
    @Test(.timeLimit(.minutes(10)))
    func `no text breaks the analyser`() {
        var generator = Dice(seed: 7)
        let pieces =
            ["Anna", "'s", "'", "’", "-", ".", "..", "!", "?", ",", "and", "with", "my", "sister"]
            + ["at", "the", "in", "of", "de", "la", "Dr", "Dr.", "Mr", "MIT", "home", "New York"]
            + ["\n", "\t", "\u{0}", "\u{7}", "é", "👩‍👩‍👧", "日本", "I", "I'm", "n't", "\"", "(", "1.5"]
            + ["to", "named", "Mom", "May", "park", "a", "ſ", "ǅ", "İ", "\u{301}", "\u{202E}"]
        for _ in 0..<3000 {
            let text = (0..<Int.random(in: 0..<30, using: &generator)).map { _ in
                (pieces.randomElement(using: &generator) ?? "")
                    + (Bool.random(using: &generator) ? " " : "")
            }.joined()
            let once = LocalAnalyser().found(TestMoments.input(text))
            #expect(LocalAnalyser().found(TestMoments.input(text)) == once)
        }
        let names = (0..<300).map {
            "Anna\($0 % 2 == 0 ? "" : "bel") Q\(String(repeating: "x", count: $0))"
        }
        _ = LocalAnalyser().found(TestMoments.input("With " + names.joined(separator: ", ")))
        // Measured in processor time. The time must grow with the length; if it grew with the
        // square, the factor would be a hundred.
        func time(_ count: Int) -> Duration {
            let input = TestMoments.input(
                String(repeating: "happy but not Anna ", count: count))
            return (0..<3).map { _ in
                ProcessorTime.measure { _ = LocalAnalyser().found(input) }
            }.min()!
        }
        #expect(time(5000) < time(500) * 40 + .milliseconds(20))
        let endless = String(repeating: "Anna", count: 20_000)
        _ = LocalAnalyser().found(TestMoments.input("with " + endless + " at " + endless))
    }

    @Test func `built-in tables of words are read, and no list has a word twice`() throws {
        let words = try AnalysisWords(.builtIn)
        #expect(words.themes.topics.first == "work")
        #expect(words.kinship.persons[.family]?["mom"] == "mother")
        #expect(words.places.leads["at"] == 3)
        for list in NameList.allCases { #expect(!words.names[list].isEmpty, "\(list)") }
        for mood in MoodLexicon.Mood.allCases {
            #expect(words.moods.moods.values.contains { $0.mood == mood }, "\(mood)")
        }
        for table in AnalysisWords.tables {
            let list = table.form.columns[0]
            var known: Set<[String]> = []
            for row in try TableFiles.builtIn.rows(of: table) {
                for word in row.words("words") {
                    let isNew = known.insert([row.text(list), word]).inserted
                    #expect(isNew, "\(table.form.name), line \(row.line): \(word)")
                }
            }
        }
    }
}
