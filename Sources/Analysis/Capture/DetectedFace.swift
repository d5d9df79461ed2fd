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
