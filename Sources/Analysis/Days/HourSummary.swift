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
