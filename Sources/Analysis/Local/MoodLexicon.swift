/// Words that tell how somebody feels, lower case.
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
        for (mood, strong, plain) in groups {
            for word in GivenNames.words(plain) { table[word] = (mood, 1) }
            for word in GivenNames.words(strong) { table[word] = (mood, 1.6) }
        }
        return table
    }()

    private static let groups: [(Mood, strong: String, plain: String)] = [
        (
            .excited, "thrilled ecstatic pumped stoked exhilarated electrifying",
            "excited exciting amped psyched adrenaline eager"
        ),
        (
            .happy, "happy joyful delighted overjoyed blissful joy happiness",
            """
            glad great wonderful fantastic amazing awesome lovely fun enjoyed enjoy enjoying good nice
            beautiful perfect cheerful delightful pleased smile smiled smiling celebrated celebrating
            yay best sweet delicious gorgeous magical brilliant
            """
        ),
        (
            .grateful, "grateful thankful blessed appreciative gratitude",
            "thanks thank thanked appreciate appreciated appreciating lucky"
        ),
        (.loving, "adore love", "loved loving hugged hug kissed romantic cuddled affection loves"),
        (.proud, "proud triumphant", "accomplished achievement nailed achieved pride"),
        (
            .amused, "hilarious",
            "funny laughed laughing laugh laughs joke jokes joked giggled silly ridiculous"
        ),
        (.hopeful, "hopeful optimistic", "hope hoping promising encouraged hopefully"),
        (.inspired, "inspired inspiring", "motivated creative inspiration awe"),
        (.curious, "curious fascinated fascinating", "interesting wonder wondering intrigued"),
        (
            .relaxed, "relaxed relaxing peaceful calm serene tranquil",
            "quiet chill cozy cosy rested refreshed restful peace unwinding unwind relax soothing"
        ),
        (.focused, "focused productive", "concentrated efficient concentrating"),
        (.surprised, "astonished shocked", "surprised surprising unexpected unexpectedly surprise"),
        (.nostalgic, "nostalgic nostalgia", "memories reminisced reminiscing childhood"),
        (.bored, "bored boring", "dull tedious monotonous"),
        (
            .tired, "exhausted drained exhausting wiped",
            "tired sleepy weary fatigued tiring jetlagged sleepless"
        ),
        (.confused, "confused", "puzzled lost unclear confusing bewildered"),
        (.lonely, "lonely", "alone isolated homesick"),
        (
            .disappointed, "disappointed disappointing letdown",
            "failed rejected underwhelming regret unfortunately cancelled canceled"
        ),
        (
            .anxious, "anxious terrified panicking panic scared afraid",
            "nervous worried worrying worry uneasy fear frightened scary dread"
        ),
        (
            .stressed, "stressed overwhelmed stressful overwhelming",
            "pressure deadline swamped rushed hectic chaotic behind"
        ),
        (
            .frustrated, "frustrated frustrating",
            "annoyed annoying irritated stuck ugh broken crashed delayed"
        ),
        (
            .sad, "sad heartbroken miserable depressed devastated grieving grief",
            """
            cried crying upset unhappy awful terrible horrible miss tears funeral died mourning bad
            down
            """
        ),
        (.angry, "furious angry outraged livid", "mad argued argument yelled shouted fight fought"),
        (
            .unwell, "sick nauseous feverish",
            "headache fever pain ill cough hurts hurt flu cold migraine"
        ),
    ]

    static let denials = GivenNames.words(
        """
        not no never without hardly barely isn't wasn't don't didn't doesn't aren't weren't can't
        couldn't won't wouldn't nothing less ain't neither nor
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
