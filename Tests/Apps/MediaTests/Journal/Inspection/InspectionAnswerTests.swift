import Inspections
import TestSupport
import Testing

/// How much of an answer is believed, given that an attacker may control the process.
@Suite struct InspectionAnswerTests {
    private static let thumbnail = InspectionOrder.Wish.thumbnail(width: 64, pixelsMax: 1000)
    private static let erase = InspectionOrder.Wish.report(erasesLocation: true)

    private static func report(_ change: (inout FileReport) -> Void) -> InspectionAnswer {
        var report = FileReport()
        change(&report)
        return .report(report)
    }

    private static func isRead(_ answer: InspectionAnswer, to wish: InspectionOrder.Wish) -> Bool {
        InspectionAnswer(answer.encoded, to: wish, fileBytes: 100) == answer
    }

    @Test func `an order and an answer are read as they were written, and no part of them`() {
        let limits = InspectionLimits(memoryBytesMax: 1, processorSecondsMax: 2, secondsMax: 3)
        let whole = Self.report {
            var image = ImageFacts()
            (image.width, image.height, image.taken) = (3, 4, "2026-01-24 10:30:00")
            image.coordinates = ImageFacts.Coordinates(latitude: -90, longitude: 180)
            $0.image = image
            var film = FilmFacts()
            film.facts = FileFacts(width: 1, height: 2, duration: 0.5)
            $0.film = film
            $0.edits = [
                FileEdit(offset: 0, content: .bytes([1, 2])),
                FileEdit(offset: 2, content: .fill(0, count: 98)),
            ]
        }
        let answers: [(InspectionAnswer, InspectionOrder.Wish)] = [
            (whole, Self.erase), (.fault(.unreadable), .report(erasesLocation: false)),
            (.fault(.tooManyPixels), Self.thumbnail),
            (.thumbnail(EncodedImage(type: .jpeg, bytes: TestImage.jpeg())), Self.thumbnail),
        ]
        for (answer, wish) in answers {
            #expect(Self.isRead(answer, to: wish))
            let order = InspectionOrder(wish: wish, type: .mp4, limits: limits)
            #expect(InspectionOrder(words: order.words) == order)
            #expect(InspectionOrder(words: order.words + ["1"]) == nil)
            #expect(InspectionOrder(words: ["0"] + order.words.dropFirst()) == nil)
            let bytes = answer.encoded
            for end in bytes.indices {
                #expect(InspectionAnswer(Array(bytes[..<end]), to: wish, fileBytes: 100) == nil)
            }
            #expect(InspectionAnswer(bytes + [0], to: wish, fileBytes: 100) == nil)
        }
        #expect(!Self.isRead(whole, to: .report(erasesLocation: false)))
        #expect(!Self.isRead(whole, to: Self.thumbnail))
    }

    @Test func `facts beyond their bounds are refused`() {
        let changes: [(inout ImageFacts) -> Void] = [
            { $0.orientation = 0 }, { $0.width = 0 }, { $0.height = -1 },
            { $0.width = 99_999_999 }, { $0.taken = "a\u{0}b" },
            { $0.camera = String(repeating: "x", count: 200) },
            { $0.coordinates = ImageFacts.Coordinates(latitude: 91, longitude: 0) },
        ]
        for change in changes {
            let answer = Self.report {
                var image = ImageFacts()
                change(&image)
                $0.image = image
            }
            #expect(!Self.isRead(answer, to: Self.erase))
        }
        for duration in [-1, 0, .infinity] {
            let answer = Self.report {
                var film = FilmFacts()
                film.facts.duration = duration
                $0.film = film
            }
            #expect(!Self.isRead(answer, to: Self.erase))
        }
    }

    @Test func `edits are within the file, in order, and few`() {
        let edits: [[FileEdit]] = [
            [FileEdit(offset: -1, content: .bytes([1]))],
            [FileEdit(offset: 100, content: .bytes([1]))],
            [FileEdit(offset: 99, content: .fill(0, count: 2))],
            [FileEdit(offset: 1, content: .fill(0, count: .max))],
            [FileEdit(offset: .max, content: .fill(0, count: .max))],
            [FileEdit(offset: 0, content: .fill(0, count: -1))],
            [FileEdit(offset: 5, content: .bytes([])), FileEdit(offset: 5, content: .bytes([1]))],
            [
                FileEdit(offset: 5, content: .bytes([1, 2])),
                FileEdit(offset: 6, content: .bytes([1])),
            ],
        ]
        for edits in edits {
            #expect(!Self.isRead(Self.report { $0.edits = edits }, to: Self.erase), "\(edits)")
        }
        let many = Self.report {
            $0.edits = (0...FileReport.editsMax).map {
                FileEdit(offset: $0, content: .bytes([1]))
            }
        }
        #expect(InspectionAnswer(many.encoded, to: Self.erase, fileBytes: 1 << 20) == nil)
        let unsettled = Self.report {
            $0.edits = [FileEdit(offset: 0, content: .bytes([1]))]
            $0.isLocationSettled = false
        }
        #expect(!Self.isRead(unsettled, to: Self.erase))
    }

    @Test func `a thumbnail is a picture, of a type that browsers show as nothing else`() {
        let contents: [(MediaType, String)] = [
            (.jpeg, "<html>"), (.gif, "GIF89a"), (.png, "GIF89a"), (.png, ""),
        ]
        for (type, content) in contents {
            let image = EncodedImage(type: type, bytes: Array(content.utf8))
            #expect(!Self.isRead(.thumbnail(image), to: Self.thumbnail))
        }
    }
}
