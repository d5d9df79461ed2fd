public import Readings

/// One day of a user, in the form in which clients get it.
public struct DaySummary: Sendable, Equatable, Codable {
    /// Something that happened at a time.
    public struct Entry: Sendable, Equatable, Codable {
        /// UTC, `2026-01-24T15:30:00Z`.
        public var time: String
        /// A sentence.
        public var event: String
    }

    /// The day in a few sentences.
    public var summary: String
    /// Each capture, or each hour where there are many captures.
    public var timeline: [Entry]
    /// At most five, the most frequent first.
    public var themes: [String]
    /// At most five moments, in order.
    public var highlights: [String]
    /// The most frequent one.
    public var mood: String
    /// A line for each person.
    public var peopleInteractions: [String]
    /// Where it was.
    public var locations: [String]
    /// What was got done.
    public var accomplishments: [String]
    /// Up to noon.
    public var morningOverview: String
    /// From noon to five.
    public var afternoonOverview: String
    /// From five on.
    public var eveningOverview: String
    /// How many captures it is made of.
    public var totalCaptures: Int
}

/// One hour of a user, condensed; stored as it is encoded.
public struct HourSummary: Sendable, Equatable, Codable {
    /// A sentence.
    public var summary: String
    /// At most five, the most frequent first.
    public var themes: [String]
    /// The most frequent one.
    public var mood: String
    /// Everybody named.
    public var people: [String]
    /// Where it was.
    public var locations: [String]
    /// The captures' key moments in order, each once.
    public var keyMoments: [String]
    /// How many captures it is made of.
    public var totalCaptures: Int
}

/// A capture with what was found in it: what hours and days are made of.
public struct AnalysedCapture: Sendable, Equatable {
    /// The capture.
    public var captureID: String
    /// When it was captured.
    public var time: Timestamp
    /// There is a photo of it.
    public var hasPhoto: Bool
    /// What was found in it.
    public var analysis: CaptureAnalysis

    /// All fields at once.
    public init(captureID: String, time: Timestamp, hasPhoto: Bool, analysis: CaptureAnalysis) {
        self.captureID = captureID
        self.time = time
        self.hasPhoto = hasPhoto
        self.analysis = analysis
    }

    /// Named or recognised, each once.
    var people: [String] {
        Tally.once(
            analysis.mentionedNames + analysis.detectedFaces.compactMap(\.possibleName),
            key: Mention.key)
    }

    /// By time, and by id where that is the same.
    static func ordered(_ captures: [AnalysedCapture]) -> [AnalysedCapture] {
        captures.sorted { ($0.time, $0.captureID) < ($1.time, $1.captureID) }
    }
}
