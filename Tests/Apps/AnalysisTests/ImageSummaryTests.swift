import Inspections
@testable import Media
import TestSupport
import Testing

@testable import Analysis

@Suite struct ImageSummaryTests {
    private func found(
        _ said: String?, _ picture: Result<PictureReading, PictureReading.Unreadable>
    ) -> CaptureAnalysis {
        var input = TestMoments.input(said, image: TestImage.jpeg())
        input.picture = picture
        return LocalAnalyser().found(input)
    }

    private func photo(_ type: MediaType = .jpeg) -> PictureReading {
        var facts = ImageFacts()
        (facts.width, facts.height) = (48, 64)
        facts.taken = "2026-01-24 10:30:00"
        facts.camera = "Apple iPhone 15"
        facts.coordinates = ImageFacts.Coordinates(latitude: 42.3601, longitude: -71.0942)
        return PictureReading(type: type, bytes: 2000, facts: facts)
    }

    @Test func `the summary says what the metadata says`() {
        let found = found(nil, .success(photo()))
        #expect(
            found.imageSummary
                == "A JPEG photo of 48 × 64 pixels (2 KiB), portrait, taken on 2026-01-24 10:30, "
                + "with Apple iPhone 15, at 42.3601° N, 71.0942° W.")
        #expect(found.location == "42.3601° N, 71.0942° W")
        #expect(found.keyMoment == found.imageSummary)
    }

    @Test func `a place in the text wins over coordinates`() {
        #expect(found("Tea at the library.", .success(photo())).location == "the library")
    }

    @Test(arguments: [
        (MediaType.webp, "WebP"), (.heic, "HEIC"), (.tiff, "TIFF"), (.png, "PNG"), (.gif, "GIF"),
    ])
    func `formats have their usual names`(type: MediaType, name: String) {
        let bare = PictureReading(type: type, bytes: 12)
        #expect(found(nil, .success(bare)).imageSummary == "A \(name) photo (12 bytes).")
        #expect(
            found(nil, .failure(.damaged(type))).imageSummary
                == "A \(name) image that can't be read.")
    }

    @Test func `a file that is not an image is reported as such`() {
        #expect(
            found(nil, .failure(.unknownFormat)).imageSummary
                == "A file that is no image of a known format.")
    }
}
