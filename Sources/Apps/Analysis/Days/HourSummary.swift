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
