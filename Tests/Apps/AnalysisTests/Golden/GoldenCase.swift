/// What a reader would say of a transcription.
struct GoldenCase {
    /// Everybody who is named.
    var names: [String] = []
    /// Where it is; nil when nothing says.
    var place: String?
    /// One of the analyser's moods.
    var mood: String
    /// What it is about before all; each should be found.
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
