import Foundation

/// What an analyser found in one capture, in the form in which it is stored.
///
/// Each value keeps to ``Limits``; ``checked()`` makes sure of that.
public struct CaptureAnalysis: Sendable, Equatable {
    /// What the photo shows, as far as it is known; nil without a photo.
    public var imageSummary: String?
    /// Two to five topics, lower case, the most prominent first.
    public var themes: [String]
    /// One word or two, lower case; `neutral` when nothing tells.
    public var mood: String
    /// Where it happened, in the words that were said or as coordinates.
    public var location: String?
    /// People seen in the photo; empty for analysers that do not look at pixels.
    public var detectedFaces: [DetectedFace]
    /// People spoken of, each once, in the order of appearance.
    public var mentionedNames: [String]
    /// The one sentence worth keeping.
    public var keyMoment: String

    /// All fields at once.
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

    /// Absent and null are the same for the two optional fields; all others must be there.
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

    /// Writes every key, null where there is nothing, so that readers find all of them.
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
    /// Lengths in Unicode scalars, and counts. Generous for what people say, small enough for a
    /// row; the same for every analyser.
    public enum Limits {
        /// Of ``CaptureAnalysis/themes``.
        public static let themes = 2...5
        /// Of one theme, and of the mood.
        public static let word = 1...64
        /// Of a place.
        public static let location = 1...256
        /// Of the picture's summary and of a face's description.
        public static let description = 1...2000
        /// Of the key moment.
        public static let keyMoment = 1...1000
        /// Of one person's name.
        public static let name = 1...128
        /// People mentioned in one capture.
        public static let names = 0...50
        /// Faces in one photo.
        public static let faces = 0...50
    }

    /// The analysis itself if it keeps to every rule.
    ///
    /// - Throws: the first broken rule, fields in the contract's order.
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

    /// Not blank, not too long, and nothing that a text column or a list on a screen can't hold.
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
    /// Without white space at the ends, moods and themes in lower case, nothing twice, and nil
    /// for the ways in which models say that there is nothing.
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

    /// The first of those that are equal but for case.
    private static func once(_ texts: [String]) -> [String] {
        var seen: Set<String> = []
        return texts.filter { seen.insert($0.lowercased()).inserted }
    }
}

/// A rule that an analysis breaks. Carries no text of the analysis.
public enum AnalysisFault: Error, Equatable, Sendable {
    /// The fields, named as in the stored form.
    public enum Field: String, Sendable {
        // As named there.
        case imageSummary, themes, mood, location, detectedFaces, mentionedNames, keyMoment
    }

    /// So many elements are too few or too many.
    case count(Field, Int)
    /// So many Unicode scalars are too many, or none.
    case length(Field, Int)
    /// Nothing but white space.
    case blank(Field)
    /// U+0000 or another control character.
    case controlCharacter(Field)
    /// A confidence outside of 0…1.
    case confidence
}

/// Somebody in a photo, as a model that looks at pixels describes them.
public struct DetectedFace: Sendable, Equatable, Codable {
    /// What can be seen of the person.
    public var description: String
    /// Who it may be, when the transcription says so.
    public var possibleName: String?
    /// How sure the model is of the name, or of the face when there is none: 0 to 1.
    public var confidence: Double

    /// All fields at once.
    public init(description: String, possibleName: String?, confidence: Double) {
        self.description = description
        self.possibleName = possibleName
        self.confidence = confidence
    }

    private enum CodingKeys: String, CodingKey { case description, possibleName, confidence }

    /// Writes `possibleName` as null where there is none.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(description, forKey: .description)
        try values.encode(possibleName, forKey: .possibleName)
        try values.encode(confidence, forKey: .confidence)
    }
}
