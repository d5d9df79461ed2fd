@testable import Inspecting
import Inspections
@testable import Media
import TestSupport
import Testing

@Suite struct ImageFactsTests {
    private func read(_ image: [UInt8]) -> ImageFacts? {
        image.withUnsafeBytes { ImageFacts.read($0) }
    }

    @Test func `a camera's metadata is read`() throws {
        let facts = try #require(read(TestImage.jpeg()))
        // Rotated by a quarter, so the picture is upright.
        #expect(facts.width == 48 && facts.height == 64 && facts.orientation == 6)
        #expect(facts.taken == "2026-01-24 10:30:00")
        #expect(facts.camera == "Apple iPhone 15")
        let place = try #require(facts.coordinates)
        #expect(abs(place.latitude - 42.3601) < 1e-6)
        #expect(abs(place.longitude + 71.0942) < 1e-6)
        #expect(facts.hasLocation && facts.isSound)
    }

    @Test func `a photo without a fix has no coordinates`() throws {
        let facts = try #require(read(TestImage.jpeg(orientation: 1, hasPlace: false)))
        #expect(facts.coordinates == nil && !facts.hasLocation)
        #expect(facts.width == 64 && facts.height == 48)
    }

    @Test func `a file that is not an image is nil, not a crash`() {
        #expect(read([]) == nil)
        #expect(read(Array("hello".utf8)) == nil)
        #expect(read([0xFF, 0xD8, 0xFF]) == nil)
    }

    @Test(.timeLimit(.minutes(10)))
    func `images cut anywhere or changed anywhere are read or refused`() {
        let whole = TestImage.jpeg()
        for end in whole.indices { _ = read(Array(whole[..<end])) }
        var generator = Dice(seed: 11)
        var readable = 0
        for _ in 0..<5000 {
            var image = whole
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                image[Int.random(in: 2..<image.count, using: &generator)] = .random(
                    in: 0...255, using: &generator)
            }
            guard let facts = read(image) else { continue }
            readable += 1
            #expect(facts.isSound)
        }
        #expect(readable > 0)
    }

    @Test func `a picture in memory is read by a separate process`() async throws {
        let inspector = Inspector.forTests()
        let image = TestImage.jpeg()
        let reading = try await inspector.picture(image, user: "u1").get()
        #expect(reading.type == .jpeg && reading.bytes == image.count)
        #expect(reading.facts == read(image))
        #expect(
            try await inspector.picture([0xFF, 0xD8, 0xFF], user: "u1")
                == .failure(.damaged(.jpeg)))
        for none in [[], Array("hello".utf8), try Corpus.bytes("gps.mp4")] {
            #expect(try await inspector.picture(none, user: "u1") == .failure(.unknownFormat))
        }
        await inspector.shutdown()
        await #expect(throws: InspectionFailure.stopped) {
            _ = try await inspector.picture(image, user: "u1")
        }
    }
}
