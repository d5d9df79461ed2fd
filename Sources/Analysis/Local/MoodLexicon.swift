/// Words that tell how somebody feels, from `moods.txt`, and those that change what they tell.
enum MoodLexicon {
    /// Moods that an analysis may have, from the brightest to the darkest; what is first wins
    /// among equals.
    enum Mood: String, CaseIterable {
        case excited, happy, grateful, loving, proud, amused, hopeful, inspired, curious, relaxed
        case focused, surprised, nostalgic, bored, tired, confused, lonely, disappointed, anxious
        case stressed, frustrated, sad, angry, unwell

        /// What is left when it is denied.
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

    /// The mood and how much of it.
    static let words: [String: (mood: Mood, weight: Double)] = {
        var table: [String: (mood: Mood, weight: Double)] = [:]
        let lists = WordList.sections(PackageResources.moods_txt)
        for mood in Mood.allCases {
            for word in lists[mood.rawValue] ?? [] { table[word] = (mood, 1) }
            for word in lists[mood.rawValue + " strong"] ?? [] { table[word] = (mood, 1.6) }
        }
        return table
    }()

    static let denials = GivenNames.words(
        """
        not no never without hardly barely isn't wasn't don't didn't doesn't aren't weren't can't
        couldn't won't wouldn't nothing nobody none less ain't neither nor
        """)
    static let amplifiers: [String: Double] = [
        "very": 1.5, "so": 1.4, "really": 1.5, "extremely": 2, "incredibly": 2, "super": 1.6,
        "totally": 1.5, "absolutely": 1.8, "too": 1.2, "deeply": 1.6, "most": 1.4, "insanely": 1.8,
        "completely": 1.6, "such": 1.3, "pretty": 1.1, "quite": 1.1, "truly": 1.5,
    ]
    static let dampers: [String: Double] = [
        "slightly": 0.5, "bit": 0.6, "little": 0.6, "somewhat": 0.6, "kinda": 0.7, "almost": 0.7,
        "fairly": 0.9, "mildly": 0.5,
    ]
}
