import Inspections
import Media

/// Describes an image's metadata in a sentence.
enum ImageSummary {
    static func text(_ reading: Result<PictureReading, PictureReading.Unreadable>) -> String {
        switch reading {
        case .success(let picture): text(picture)
        case .failure(.unknownFormat): "A file that is no image of a known format."
        case .failure(.damaged(let type)): "A \(name(type)) image that can't be read."
        }
    }

    private static func text(_ picture: PictureReading) -> String {
        let facts = picture.facts
        var words = "A \(name(picture.type)) photo"
        if let width = facts.width, let height = facts.height {
            words += " of \(width) × \(height) pixels (\(size(picture.bytes)))"
            words += width == height ? ", square" : width > height ? ", landscape" : ", portrait"
        } else {
            words += " (\(size(picture.bytes)))"
        }
        if let taken = facts.taken { words += ", taken on \(taken.prefix(16))" }
        if let camera = facts.camera { words += ", with \(camera)" }
        if let place = facts.coordinates { words += ", at \(coordinates(place))" }
        return words + "."
    }

    /// `42.3601° N, 71.0942° W`. Four decimals are about ten metres.
    static func coordinates(_ place: ImageFacts.Coordinates) -> String {
        degrees(place.latitude, "N", "S") + ", " + degrees(place.longitude, "E", "W")
    }

    private static func degrees(_ value: Double, _ positive: String, _ negative: String) -> String {
        let parts = Int((abs(value) * 10_000).rounded())
        let fraction = String(parts % 10_000)
        let zeros = String(repeating: "0", count: 4 - fraction.count)
        return "\(parts / 10_000).\(zeros)\(fraction)° \(value < 0 ? negative : positive)"
    }

    private static func name(_ type: MediaType) -> String {
        switch type {
        case .jpeg: "JPEG"
        case .webp: "WebP"
        default: type.fileExtension.uppercased()
        }
    }

    private static func size(_ bytes: Int) -> String {
        switch bytes {
        case ..<1024: "\(bytes) bytes"
        case ..<(1 << 20): "\((bytes + 512) / 1024) KiB"
        default: "\((bytes + (1 << 19)) >> 20) MiB"
        }
    }
}
