/// A person in a photo, as described by a model that examines pixels.
public struct DetectedFace: Sendable, Equatable, Codable {
    /// The visible features of the person.
    public var description: String
    /// The person's probable name, if the transcription suggests one.
    public var possibleName: String?
    /// The model's confidence in the name, or in the face if there is no name: 0 to 1.
    public var confidence: Double

    /// Takes all fields.
    public init(description: String, possibleName: String?, confidence: Double) {
        self.description = description
        self.possibleName = possibleName
        self.confidence = confidence
    }

    private enum CodingKeys: String, CodingKey { case description, possibleName, confidence }

    /// Writes `possibleName` as null when there is none.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(description, forKey: .description)
        try values.encode(possibleName, forKey: .possibleName)
        try values.encode(confidence, forKey: .confidence)
    }
}
