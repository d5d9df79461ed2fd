/// What a human reader finds in a transcription.
struct GoldenCase {
    /// All persons who are named.
    var names: [String] = []
    /// The place; nil when the text names none.
    var place: String?
    /// One of the analyser's moods.
    var mood: String
    /// The main subjects; the analyser should find each of them.
    var themes: [String]
    var text: String

    init(
        _ text: String, names: [String] = [], place: String? = nil, mood: String = "neutral",
        themes: [String]
    ) {
        self.text = text
        self.names = names
        self.place = place
        self.mood = mood
        self.themes = themes
    }
}
