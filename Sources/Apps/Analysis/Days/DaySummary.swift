import Readings

/// The summary of a user's day, in the form that clients receive.
public struct DaySummary: Sendable, Equatable, Codable {
    /// An event of the timeline.
    public struct Entry: Sendable, Equatable, Codable {
        /// UTC, `2026-01-24T15:30:00Z`.
        public var time: String
        /// A sentence, in the user's words as far as there are any.
        public var event: String
        /// The capture, by the app's id; nil for an hour of several captures.
        public var captureId: String?
        /// Its photo; nil without one.
        public var photoURL: String?
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
