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
