import Readings
import TestSupport
import Testing

@testable import Analysis

@Suite struct ComposerTests {
    private let calendar = UserCalendar("America/New_York")

    private func capture(_ id: String, _ time: String, _ text: String) -> AnalysedCapture {
        AnalysedCapture(
            captureID: id, time: TestMoments.time(time),
            photoURL: id == "b" ? "https://x/media/memories/b/photo.jpg" : nil,
            analysis: LocalAnalyser().found(TestMoments.input(text, at: time)))
    }

    private var captures: [AnalysedCapture] {
        [
            capture("a", "2026-01-24T14:05:00Z", "Coffee with John at the coffee shop. So happy!"),
            capture(
                "b", "2026-01-24T18:30:00Z", "John and Sarah finished the project. I am proud."),
            capture("c", "2026-01-25T00:10:00Z", "Dinner at home with Sarah, very happy."),
            capture("d", "2026-01-24T14:40:00Z", "Walking through MIT campus"),
        ]
    }

    @Test func `a day has all fields of the contract`() throws {
        let day = try #require(LocalDay("2026-01-24"))
        let summary = try #require(
            DayComposer.summary(of: captures, day: day, calendar: calendar, isOver: true))
        #expect(summary.totalCaptures == 4)
        #expect(
            summary.timeline.map(\.time) == [
                "2026-01-24T14:05:00Z", "2026-01-24T14:40:00Z", "2026-01-24T18:30:00Z",
                "2026-01-25T00:10:00Z",
            ])
        #expect(summary.timeline[1].event == "Walking through MIT campus.")
        #expect(summary.mood == "happy")
        #expect(summary.locations == ["the coffee shop", "MIT campus", "home"])
        #expect(summary.accomplishments == ["John and Sarah finished the project."])
        #expect(
            summary.peopleInteractions == [
                "John (2 captures): Coffee with John at the coffee shop.",
                "Sarah (2 captures): John and Sarah finished the project.",
            ])
        #expect(
            summary.morningOverview.hasPrefix(
                "2 captures. I was at the coffee shop and MIT campus, with John."))
        #expect(summary.afternoonOverview.hasPrefix("1 capture. I was with John and Sarah."))
        #expect(summary.eveningOverview.hasPrefix("1 capture. I was at home, with Sarah."))
        #expect(
            summary.summary.hasPrefix(
                "Saturday, 24 January 2026: 4 captures between 09:05 and 19:10, mostly about"))
        #expect((1...5).contains(summary.themes.count))
        #expect(summary.highlights.count == 4)
        #expect(summary.timeline.map(\.captureId) == ["a", "d", "b", "c"])
        #expect(
            summary.timeline.map(\.photoURL)
                == [nil, nil, "https://x/media/memories/b/photo.jpg", nil])
        #expect(
            summary.summary.contains(
                "I was at the coffee shop, MIT campus and home, with John and Sarah. I felt happy.")
        )
    }

    @Test func `all sentences end with punctuation`() throws {
        let day = try #require(LocalDay("2026-01-24"))
        let said = [
            "Lunch with Anna", "met Tom at the station,", "“What a day!”", "Home… ", "Saw Eve -",
        ].enumerated().map { capture("s\($0)", "2026-01-24T1\($0):00:00Z", $1) }
        let summary = try #require(
            DayComposer.summary(of: said, day: day, calendar: calendar, isOver: true))
        let sentences =
            summary.timeline.map(\.event) + summary.highlights + summary.peopleInteractions
            + summary.accomplishments
            + [
                summary.summary, summary.morningOverview, summary.afternoonOverview,
                summary.eveningOverview,
            ]
        for sentence in sentences {
            #expect(sentence.contains(/[.!?…][”"’')]?$/), "\(sentence)")
            #expect(!sentence.contains(/[,;:-]\./) && !sentence.contains(".."), "\(sentence)")
        }
    }

    @Test(arguments: [
        "今日は田中さんと東京で会いました。", "楽しかった！", "هل أنت بخير؟", "मैं दिल्ली गया।", "『行こう。』", "ठीक॥",
        "She left (finally!)", "He said \"stop.\"", "„Hallo!“", "»Ja.«", "Well…", "the U.S.",
    ])
    func `a sentence that has an end gets no other`(_ text: String) {
        #expect(Sentence.ended(text + "、 ") == text)
    }

    @Test func `a quotation stays with who said it`() throws {
        let day = try #require(LocalDay("2026-01-24"))
        let said = "\"Really?\" asked Anna."
        let summary = try #require(
            DayComposer.summary(
                of: [capture("a", "2026-01-24T14:05:00Z", said)], day: day, calendar: calendar,
                isOver: true))
        #expect(summary.highlights == [said])
        #expect(summary.peopleInteractions == ["Anna: " + said])
    }

    @Test func `a moment without words has the time of the zone in which the day is summed up`()
        throws
    {
        let day = try #require(LocalDay("2026-11-27"))
        let silent = ["2026-11-26T20:00:00Z", "2026-11-26T21:00:00Z"].map { time in
            // New York's zone was assumed.
            AnalysedCapture(
                captureID: time, time: TestMoments.time(time), photoURL: nil,
                analysis: LocalAnalyser().found(TestMoments.input(nil, at: time)))
        }
        let summary = try #require(
            DayComposer.summary(
                of: silent, day: day, calendar: UserCalendar("Asia/Kathmandu"), isOver: true))
        let moments = ["A moment at 01:45.", "A moment at 02:45."]
        #expect(summary.timeline.map(\.event) == moments)
        #expect(summary.highlights == moments)
        #expect(
            summary.summary == "Friday, 27 November 2026: 2 captures between 01:45 and 02:45, "
                + "mostly about everyday life and moments. A moment at 01:45.")
    }

    @Test func `a capture of another user's id is called by its own`() throws {
        let day = try #require(LocalDay("2026-01-24"))
        let summary = DayComposer.summary(
            of: [capture("a~0123", "2026-01-24T14:05:00Z", "Ran.")], day: day, calendar: calendar,
            isOver: true)
        #expect(summary?.timeline.map(\.captureId) == ["a"])
    }

    @Test func `a day in progress says so, and a day without captures has no summary`() throws {
        let day = try #require(LocalDay("2026-01-24"))
        let running = DayComposer.summary(
            of: captures, day: day, calendar: calendar, isOver: false)
        #expect(running?.summary.contains("4 captures so far between") == true)
        #expect(DayComposer.summary(of: [], day: day, calendar: calendar, isOver: true) == nil)
        #expect(HourComposer.summary(of: [], calendar: calendar) == nil)
    }

    @Test func `a day with many captures has a timeline by the hour`() throws {
        let day = try #require(LocalDay("2026-01-24"))
        let many = (0..<60).map { number in
            let minute = UserCalendar.twoDigits(number)
            return capture(
                "x\(number)", "2026-01-24T\(15 + number / 30):\(minute):00Z", "Ran \(number) miles."
            )
        }
        let summary = try #require(
            DayComposer.summary(of: many, day: day, calendar: calendar, isOver: true))
        #expect(summary.timeline.count == 2)
        #expect(summary.timeline[0].event.hasPrefix("30 captures from 10:00"))
        #expect(summary.totalCaptures == 60)
        #expect(summary.highlights.count == 5)
    }

    @Test func `the order in which captures arrive makes no difference`() throws {
        let day = try #require(LocalDay("2026-01-24"))
        var generator = Dice(seed: 5)
        let expected = DayComposer.summary(
            of: captures, day: day, calendar: calendar, isOver: true)
        let hour = HourComposer.summary(of: captures, calendar: calendar)
        for _ in 0..<50 {
            let shuffled = captures.shuffled(using: &generator)
            #expect(
                DayComposer.summary(of: shuffled, day: day, calendar: calendar, isOver: true)
                    == expected)
            #expect(HourComposer.summary(of: shuffled, calendar: calendar) == hour)
        }
    }

    @Test func `a contact is made of all mentions, whatever their case and order`() throws {
        let first = TestMoments.time("2026-01-20T10:00:00Z")
        let last = TestMoments.time("2026-01-24T10:00:00Z")
        let middle = TestMoments.time("2026-01-22T10:00:00Z")
        let mentions = [
            Mention(
                captureID: "1", time: first, name: "Anna", relationship: "friend", note: "One.",
                photoURL: "p1", faceConfidence: 0.9),
            Mention(
                captureID: "2", time: middle, name: "ANNA", relationship: "sister", note: "Two.",
                photoURL: "p2", faceConfidence: 0.95),
            Mention(captureID: "3", time: last, name: "anna", note: "Three."),
        ]
        var generator = Dice(seed: 9)
        for _ in 0..<10 {
            let contact = try #require(
                ContactMerge.contact(of: mentions.shuffled(using: &generator)))
            #expect(contact.name == "Anna")
            #expect(contact.relationship == "sister")
            #expect(contact.notes == "Three.\nTwo.\nOne.")
            #expect(contact.bestFacePhotoURL == "p2")
            #expect(contact.firstSeen == first && contact.lastSeen == last)
            #expect(contact.mentionCount == 3)
        }
        #expect(ContactMerge.contact(of: []) == nil)
    }

    @Test func `a capture mentions a name once, with relationship, note and face`() throws {
        var analysis = LocalAnalyser().found(
            TestMoments.input("My sister Anna laughed. Anna is great."))
        analysis.detectedFaces = [
            DetectedFace(description: "dark hair", possibleName: "anna", confidence: 0.4),
            DetectedFace(description: "blue coat", possibleName: "Anna", confidence: 0.8),
            DetectedFace(description: "a child", possibleName: "Leo", confidence: 0.6),
            DetectedFace(description: "somebody", possibleName: nil, confidence: 0.6),
        ]
        let mentions = Mention.mentions(
            in: analysis, captureID: "c", time: TestMoments.time("2026-01-24T10:00:00Z"),
            photoURL: "photo", transcription: "My sister Anna laughed. Anna is great.")
        #expect(mentions.map(\.nameKey) == ["anna", "leo"])
        #expect(mentions[0].relationship == "sister")
        #expect(mentions[0].note == "My sister Anna laughed.")
        #expect(mentions[0].photoURL == "photo" && mentions[0].faceConfidence == 0.8)
        #expect(mentions[1].note == "a child")
    }
}
