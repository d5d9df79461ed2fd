public import Readings

/// The summary of a user's day, in the form that clients receive.
public struct DaySummary: Sendable, Equatable, Codable {
    /// An event of the timeline.
    public struct Entry: Sendable, Equatable, Codable {
        /// UTC, `2026-01-24T15:30:00Z`.
        public var time: String
        /// A sentence.
        public var event: String
    }

    /// The day in a few sentences.
    public var summary: String
    /// One entry for each capture, or for each hour when there are many captures.
    public var timeline: [Entry]
    /// At most five, the most frequent first.
    public var themes: [String]
    /// At most five moments, in order.
    public var highlights: [String]
    /// The most frequent mood.
    public var mood: String
    /// A line for each person.
    public var peopleInteractions: [String]
    /// The places, in order of appearance.
    public var locations: [String]
    /// The moments in which something was achieved.
    public var accomplishments: [String]
    /// The time before noon.
    public var morningOverview: String
    /// From noon to 17:00.
    public var afternoonOverview: String
    /// From 17:00 on.
    public var eveningOverview: String
    /// The number of captures summed up.
    public var totalCaptures: Int
}

/// One condensed hour of a user. Stored as it is encoded.
public struct HourSummary: Sendable, Equatable, Codable {
    /// A sentence.
    public var summary: String
    /// At most five, the most frequent first.
    public var themes: [String]
    /// The most frequent mood.
    public var mood: String
    /// All people named or recognised, at most 20.
    public var people: [String]
    /// The places, in order of appearance, at most 20.
    public var locations: [String]
    /// The captures' key moments in order, each once, at most 20.
    public var keyMoments: [String]
    /// The number of captures condensed.
    public var totalCaptures: Int
}

/// A capture with its analysis. Hours and days are made of these.
public struct AnalysedCapture: Sendable, Equatable {
    /// The capture's key.
    public var captureID: String
    /// The time of the capture.
    public var time: Timestamp
    /// Whether the capture has a photo.
    public var hasPhoto: Bool
    /// The capture's analysis.
    public var analysis: CaptureAnalysis

    /// Takes all fields.
    public init(captureID: String, time: Timestamp, hasPhoto: Bool, analysis: CaptureAnalysis) {
        self.captureID = captureID
        self.time = time
        self.hasPhoto = hasPhoto
        self.analysis = analysis
    }

    /// The people named or recognised, each once.
    var people: [String] {
        Tally.once(
            analysis.mentionedNames + analysis.detectedFaces.compactMap(\.possibleName),
            key: Mention.key)
    }

    /// Sorted by time, and by id for equal times.
    static func ordered(_ captures: [AnalysedCapture]) -> [AnalysedCapture] {
        captures.sorted { ($0.time, $0.captureID) < ($1.time, $1.captureID) }
    }
}
