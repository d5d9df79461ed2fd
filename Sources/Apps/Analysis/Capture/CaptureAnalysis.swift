import Foundation

/// The analysis of one capture, in the form in which it is stored.
///
/// A stored analysis complies with ``Limits``; ``checked()`` verifies that.
public struct CaptureAnalysis: Sendable, Equatable {
    /// What the photo shows, as far as known; nil without a photo.
    public var imageSummary: String?
    /// Two to five topics, lower case, the most prominent first.
    public var themes: [String]
    /// One or two words in lower case; `neutral` when there is no evidence of a mood.
    public var mood: String
    /// Where it happened, in spoken words or as coordinates.
    public var location: String?
    /// People seen in the photo; empty from analysers that do not examine pixels.
    public var detectedFaces: [DetectedFace]
    /// The people mentioned, each once, in order of appearance.
    public var mentionedNames: [String]
    /// The sentence most worth keeping.
    public var keyMoment: String

    /// Takes all fields.
    public init(
        imageSummary: String?, themes: [String], mood: String, location: String?,
        detectedFaces: [DetectedFace] = [], mentionedNames: [String], keyMoment: String
    ) {
        self.imageSummary = imageSummary
        self.themes = themes
        self.mood = mood
        self.location = location
        self.detectedFaces = detectedFaces
        self.mentionedNames = mentionedNames
        self.keyMoment = keyMoment
    }
}

extension CaptureAnalysis: Codable {
    private enum CodingKeys: String, CodingKey {
        case imageSummary, themes, mood, location, detectedFaces, mentionedNames, keyMoment
    }

    /// For the two optional fields, absent and null are the same. All others are required.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        imageSummary = try values.decodeIfPresent(String.self, forKey: .imageSummary)
        themes = try values.decode([String].self, forKey: .themes)
        mood = try values.decode(String.self, forKey: .mood)
        location = try values.decodeIfPresent(String.self, forKey: .location)
        detectedFaces = try values.decode([DetectedFace].self, forKey: .detectedFaces)
        mentionedNames = try values.decode([String].self, forKey: .mentionedNames)
        keyMoment = try values.decode(String.self, forKey: .keyMoment)
    }

    /// Writes every key, with null for a missing value, so that readers find all keys.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(imageSummary, forKey: .imageSummary)
        try values.encode(themes, forKey: .themes)
        try values.encode(mood, forKey: .mood)
        try values.encode(location, forKey: .location)
        try values.encode(detectedFaces, forKey: .detectedFaces)
        try values.encode(mentionedNames, forKey: .mentionedNames)
        try values.encode(keyMoment, forKey: .keyMoment)
    }
}

extension CaptureAnalysis {
    /// Lengths in Unicode scalars, and counts. They are generous for speech, small enough for a
    /// row, and the same for every analyser.
    public enum Limits {
        /// The count of ``CaptureAnalysis/themes``.
        public static let themes = 2...5
        /// The length of one theme, and of the mood.
        public static let word = 1...64
        /// The length of a location.
        public static let location = 1...256
        /// The length of the picture's summary, and of a face's description.
        public static let description = 1...2000
        /// The length of the key moment.
        public static let keyMoment = 1...1000
        /// The length of one person's name.
        public static let name = 1...128
        /// The count of people mentioned in one capture.
        public static let names = 0...50
        /// The count of faces in one photo.
        public static let faces = 0...50
    }

    /// Returns the analysis if it complies with every rule.
    ///
    /// - Throws: the first broken rule, with fields in the contract's order.
    public func checked() throws(AnalysisFault) -> CaptureAnalysis {
        if let imageSummary {
            try Self.check(imageSummary, Limits.description, .imageSummary)
        }
        guard Limits.themes.contains(themes.count) else {
            throw .count(.themes, themes.count)
        }
        for theme in themes { try Self.check(theme, Limits.word, .themes) }
        try Self.check(mood, Limits.word, .mood)
        if let location { try Self.check(location, Limits.location, .location) }
        guard Limits.faces.contains(detectedFaces.count) else {
            throw .count(.detectedFaces, detectedFaces.count)
        }
        for face in detectedFaces {
            try Self.check(face.description, Limits.description, .detectedFaces)
            if let name = face.possibleName { try Self.check(name, Limits.name, .detectedFaces) }
            guard face.confidence >= 0, face.confidence <= 1 else { throw .confidence }
        }
        guard Limits.names.contains(mentionedNames.count) else {
            throw .count(.mentionedNames, mentionedNames.count)
        }
        for name in mentionedNames { try Self.check(name, Limits.name, .mentionedNames) }
        try Self.check(keyMoment, Limits.keyMoment, .keyMoment)
        return self
    }

    /// Checks that a text is not blank, not too long, and has no control character except a line
    /// feed.
    private static func check(
        _ text: String, _ length: ClosedRange<Int>, _ field: AnalysisFault.Field
    ) throws(AnalysisFault) {
        let scalars = text.unicodeScalars
        guard length.contains(scalars.count) else { throw .length(field, scalars.count) }
        guard !scalars.allSatisfy(\.properties.isWhitespace) else { throw .blank(field) }
        let isPlain = scalars.allSatisfy { $0.properties.generalCategory != .control || $0 == "\n" }
        guard isPlain else { throw .controlCharacter(field) }
    }
}

extension CaptureAnalysis {
    /// A copy without white space at the ends of texts, with moods and themes in lower case and
    /// without duplicates. The texts by which models say that there is nothing become nil.
    func tidied() -> CaptureAnalysis {
        var tidy = self
        tidy.imageSummary = imageSummary.flatMap(Self.meant)
        tidy.location = location.flatMap(Self.meant)
        tidy.themes = Self.once(themes.map { Self.trimmed($0).lowercased() })
        tidy.mood = Self.trimmed(mood).lowercased()
        tidy.mentionedNames = Self.once(mentionedNames.map(Self.trimmed))
        tidy.keyMoment = Self.trimmed(keyMoment)
        tidy.detectedFaces = detectedFaces.map {
            DetectedFace(
                description: Self.trimmed($0.description),
                possibleName: $0.possibleName.flatMap(Self.meant), confidence: $0.confidence)
        }
        return tidy
    }

    private static func trimmed(_ text: String) -> String {
        text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static func meant(_ text: String) -> String? {
        let text = trimmed(text)
        let nothing: Set<String> = ["", "unknown", "none", "null", "n/a", "not specified"]
        return nothing.contains(text.lowercased()) ? nil : text
    }

    /// The texts without those that equal an earlier one but for case.
    private static func once(_ texts: [String]) -> [String] {
        var seen: Set<String> = []
        return texts.filter { seen.insert($0.lowercased()).inserted }
    }
}
