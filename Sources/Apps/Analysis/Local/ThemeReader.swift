/// Finds what a text is about: two to five topics, the most prominent first.
enum ThemeReader {
    private static let lexicon = AnalysisWords.current.themes

    /// The topics that words indicate, sorted by the number of these words. Two words together
    /// count twice.
    static func topics(_ text: SpokenText) -> [String] {
        var counts = [Int](repeating: 0, count: lexicon.topics.count)
        var earlier: SpokenWord?
        for word in text.words {
            var seen: Set<Int> = []
            for stem in word.stems {
                for topic in lexicon.index[stem] ?? [] where seen.insert(topic).inserted {
                    counts[topic] += 1
                }
            }
            if let before = earlier, before.sentence == word.sentence {
                for topic in lexicon.index[before.key + " " + word.key] ?? [] {
                    counts[topic] += 2
                }
            }
            earlier = word
        }
        return counts.indices.filter { counts[$0] > 0 }
            .sorted { counts[$0] == counts[$1] ? $0 < $1 : counts[$0] > counts[$1] }
            .map { lexicon.topics[$0] }
    }

    /// Always two to five themes: first the topics of the words; if they are too few, people, place
    /// and photo. The time of day is none: it would be wrong when the user's time zone changes.
    static func themes(
        _ text: SpokenText, people: [NameFinder.Person], place: String?, hasImage: Bool
    ) -> [String] {
        var themes = Array(topics(text).prefix(CaptureAnalysis.Limits.themes.upperBound))
        func add(_ theme: String, if condition: Bool) {
            guard condition, themes.count < CaptureAnalysis.Limits.themes.lowerBound,
                !themes.contains(theme)
            else { return }
            themes.append(theme)
        }
        let isFamily = people.contains { Kinship.family[$0.name.lowercased()] != nil }
        add("family", if: isFamily)
        add("people", if: !people.isEmpty)
        add("places", if: place != nil)
        add("photography", if: hasImage && text.words.isEmpty)
        add("everyday life", if: true)
        add("moments", if: true)
        return themes
    }
}
