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
