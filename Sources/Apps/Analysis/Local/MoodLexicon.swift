import TextTables

/// Words of feeling, and words that change their effect.
enum MoodLexicon {
    /// The moods of an analysis, from the brightest to the darkest. Of equally strong moods the
    /// first wins.
    enum Mood: String, CaseIterable {
        case excited, happy, grateful, loving, proud, amused, hopeful, inspired, curious, relaxed
        case focused, surprised, nostalgic, bored, tired, confused, lonely, disappointed, anxious
        case stressed, frustrated, sad, angry, unwell

        /// The mood that remains when this one is denied; nil if none remains.
        var opposite: Mood? {
            switch self {
            case .excited: .bored
            case .happy, .amused, .loving, .hopeful, .inspired: .sad
            case .proud, .grateful: .disappointed
            case .relaxed: .stressed
            case .sad, .lonely, .disappointed, .angry, .frustrated: nil
            case .anxious, .stressed: .relaxed
            default: nil
            }
        }
    }

    private static let table = AnalysisWords.current.moods

    /// The mood and the weight of a word, or of two words with a space between.
    static let words = table.moods
    static let denials = table.denials
    /// The factor by which a word changes the weight of a feeling after it.
    static let degrees = table.degrees
}
