@testable import Media
import TestSupport
import Testing

/// How much of an answer is believed, given that an attacker may control the process.
@Suite struct InspectionAnswerTests {
    private static let wish = InspectionOrder.Wish.thumbnail(width: 64, pixelsMax: 1000)

    @Test func `an answer is read as it was written`() throws {
        var image = ImageFacts()
        (image.width, image.height, image.taken) = (3, 4, "2026-01-24 10:30:00")
        image.coordinates = ImageFacts.Coordinates(latitude: -90, longitude: 180)
        var film = MediaFacts()
        film.facts = FileFacts(width: 1, height: 2, duration: 0.5)
        let answers: [(InspectionAnswer, InspectionOrder.Wish)] = [
            (.image(image), .image), (.film(film), .film), (.fault(.unreadable), .image),
            (.fault(.tooManyPixels), Self.wish),
            (.thumbnail(ThumbnailImage.Encoded(type: .jpeg, bytes: TestImage.jpeg())), Self.wish),
        ]
        for (answer, wish) in answers {
            #expect(InspectionAnswer(answer.encoded, to: wish) == answer)
        }
    }

    @Test(arguments: [
        "", "\n", "{}\n", "{}", "null\n", "[]\n", #"{"image":{}}"# + "\n",
        #"{"image":{"orientation":1,"hasLocation":false}}"#,
        #"{"image":{"orientation":0,"hasLocation":false}}"# + "\n",
        #"{"image":{"orientation":1,"hasLocation":false,"width":0}}"# + "\n",
        #"{"image":{"orientation":1,"hasLocation":false,"height":-1}}"# + "\n",
        #"{"image":{"orientation":1,"hasLocation":false,"width":99999999}}"# + "\n",
        #"{"image":{"orientation":1,"hasLocation":false,"taken":"a\u0000b"}}"# + "\n",
        #"{"image":{"orientation":1,"hasLocation":false,"camera":"\#(String(repeating: "x", count: 200))"}}"#
            + "\n",
        #"{"image":{"orientation":1,"hasLocation":false,"coordinates":{"latitude":91,"longitude":0}}}"#
            + "\n",
        String(repeating: " ", count: 5000) + #"{"fault":"unreadable"}"# + "\n",
        #"{"fault":"of another kind"}"# + "\n",
    ])
    func `an answer that makes no sense is refused`(text: String) {
        #expect(InspectionAnswer(Array(text.utf8), to: .image) == nil)
    }

    @Test func `a thumbnail is a picture, of a type that browsers show as nothing else`() {
        for (head, content) in [
            (#"{"thumbnail":"image/jpeg"}"#, "<html>"), (#"{"thumbnail":"text/html"}"#, "<html>"),
            (#"{"thumbnail":"image/gif"}"#, "GIF89a"), (#"{"thumbnail":"image/png"}"#, "GIF89a"),
            (#"{"thumbnail":"image/png"}"#, ""),
        ] {
            #expect(InspectionAnswer(Array("\(head)\n\(content)".utf8), to: Self.wish) == nil)
        }
        let film = #"{"film":{"facts":{"duration":-1},"hasPicture":true,"hasSound":true}}"# + "\n"
        #expect(InspectionAnswer(Array(film.utf8), to: .film) == nil)
    }
}
