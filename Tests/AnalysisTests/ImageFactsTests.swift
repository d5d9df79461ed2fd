import TestSupport
import Testing

@testable import Analysis

@Suite struct ImageFactsTests {
    @Test func `a camera's metadata is read`() throws {
        let facts = try ImageFacts.read(TestImage.jpeg()).get()
        #expect(facts.format == .jpeg)
        // Turned by a quarter: the picture stands upright.
        #expect(facts.width == 48 && facts.height == 64)
        #expect(facts.taken == "2026-01-24 10:30:00")
        #expect(facts.camera == "Apple iPhone 15")
        let place = try #require(facts.coordinates)
        #expect(abs(place.latitude - 42.3601) < 1e-6)
        #expect(abs(place.longitude + 71.0942) < 1e-6)
    }

    @Test func `the summary says what the metadata says`() {
        let found = LocalAnalyser().found(TestMoments.input(nil, image: TestImage.jpeg()))
        #expect(
            found.imageSummary
                == "A JPEG photo of 48 × 64 pixels (\(TestImage.jpeg().count) bytes), "
                + "portrait, taken on 2026-01-24 10:30, with Apple iPhone 15, "
                + "at 42.3601° N, 71.0942° W.")
        #expect(found.location == "42.3601° N, 71.0942° W")
        #expect(found.keyMoment == found.imageSummary)
    }

    @Test func `what was said of the place wins over coordinates`() {
        let found = LocalAnalyser().found(
            TestMoments.input("Tea at the library.", image: TestImage.jpeg()))
        #expect(found.location == "the library")
    }

    @Test func `a photo without a fix has no coordinates`() throws {
        let facts = try ImageFacts.read(TestImage.jpeg(orientation: 1, hasPlace: false)).get()
        #expect(facts.coordinates == nil)
        #expect(facts.width == 64 && facts.height == 48)
    }

    @Test func `what is no image is an error, not a crash`() {
        #expect(ImageFacts.read([]) == .failure(.unknownFormat))
        #expect(ImageFacts.read(Array("hello".utf8)) == .failure(.unknownFormat))
        #expect(ImageFacts.read([0xFF, 0xD8, 0xFF]) == .failure(.damaged(.jpeg)))
        let large = [UInt8](repeating: 0, count: ImageFacts.bytesMax + 1)
        #expect(ImageFacts.read(large) == .failure(.tooLarge(large.count)))
        let found = LocalAnalyser().found(TestMoments.input(nil, image: [1, 2, 3]))
        #expect(found.imageSummary == "A file that is no image of a known format.")
    }

    @Test(.timeLimit(.minutes(10)))
    func `images cut anywhere or changed anywhere are read or refused`() {
        let whole = TestImage.jpeg()
        for end in whole.indices { _ = ImageFacts.read(Array(whole[..<end])) }
        var generator = Dice(seed: 11)
        var readable = 0
        for _ in 0..<5000 {
            var image = whole
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                image[Int.random(in: 2..<image.count, using: &generator)] = .random(
                    in: 0...255, using: &generator)
            }
            guard let facts = try? ImageFacts.read(image).get() else { continue }
            readable += 1
            if let place = facts.coordinates {
                #expect(abs(place.latitude) <= 90 && abs(place.longitude) <= 180)
            }
            _ = LocalAnalyser().found(TestMoments.input(nil, image: image))
        }
        #expect(readable > 0)
    }

    @Test(arguments: [
        ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], ImageFacts.Format.png),
        (Array("RIFF....WEBPVP8 ".utf8), .webp), (Array("GIF89a".utf8), .gif),
        ([0, 0, 0, 24] + Array("ftypheic".utf8), .heic), ([0x49, 0x49, 0x2A, 0], .tiff),
    ])
    func `formats are told by their first bytes`(_ bytes: [UInt8], _ format: ImageFacts.Format) {
        #expect(ImageFacts.Format(magic: bytes) == format)
    }
}
