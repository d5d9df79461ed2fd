/// An image's metadata in a sentence.
enum ImageSummary {
    static func text(_ reading: Result<ImageFacts, ImageFacts.Unreadable>) -> String {
        switch reading {
        case .success(let facts): text(facts)
        case .failure(.tooLarge(let bytes)): "A file of \(size(bytes)), too large to be looked at."
        case .failure(.unknownFormat): "A file that is no image of a known format."
        case .failure(.damaged(let format)): "A \(format.rawValue) image that can't be read."
        }
    }

    private static func text(_ facts: ImageFacts) -> String {
        var words = "A \(facts.format.rawValue) photo"
        if let width = facts.width, let height = facts.height {
            words += " of \(width) × \(height) pixels (\(size(facts.bytes)))"
            words += width == height ? ", square" : width > height ? ", landscape" : ", portrait"
        } else {
            words += " (\(size(facts.bytes)))"
        }
        if let taken = facts.taken { words += ", taken on \(taken.prefix(16))" }
        if let camera = facts.camera { words += ", with \(camera)" }
        if let place = facts.coordinates { words += ", at \(coordinates(place))" }
        return words + "."
    }

    /// `42.3601° N, 71.0942° W`: four digits are about ten metres.
    static func coordinates(_ place: ImageFacts.Coordinates) -> String {
        degrees(place.latitude, "N", "S") + ", " + degrees(place.longitude, "E", "W")
    }

    private static func degrees(_ value: Double, _ positive: String, _ negative: String) -> String {
        let parts = Int((abs(value) * 10_000).rounded())
        let fraction = String(parts % 10_000)
        let zeros = String(repeating: "0", count: 4 - fraction.count)
        return "\(parts / 10_000).\(zeros)\(fraction)° \(value < 0 ? negative : positive)"
    }

    private static func size(_ bytes: Int) -> String {
        switch bytes {
        case ..<1024: "\(bytes) bytes"
        case ..<(1 << 20): "\((bytes + 512) / 1024) KiB"
        default: "\((bytes + (1 << 19)) >> 20) MiB"
        }
    }
}
