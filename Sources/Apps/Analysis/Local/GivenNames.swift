import Foundation
import TextTables

/// Lists of names and of words near them, in lower case and without accents. They are evidence for
/// or against a capitalised word being a person that the user knows.
///
/// Names that are in no list are found by their context.
enum GivenNames {
    /// Names that hardly ever mean anything else.
    static let plain = AnalysisWords.current.names[.plain]

    /// Names that are also words, months or places, and so need more evidence from the context.
    static let ambiguous = AnalysisWords.current.names[.ambiguous]

    /// Famous people, works and brands, which are no contacts; by the first word.
    static let famous = phrases(.public)

    /// Shops and brands without their `'s`; by the first word.
    static let shops = phrases(.shop)

    /// Verbs for what only people do.
    static let deeds = AnalysisWords.current.names[.deed]

    /// Nouns after a name that make it something else: a concert, a cake.
    static let works = AnalysisWords.current.names[.work]

    /// Words for animals that have names.
    static let pets = AnalysisWords.current.names[.pet]

    private static func phrases(_ list: NameList) -> [String: [[String]]] {
        Dictionary(
            grouping: AnalysisWords.current.names[list].map {
                $0.split(separator: " ").map(String.init)
            }
        ) { $0[0] }
    }

    /// A word in the form of the lists: without accents.
    static func folded(_ key: String) -> String {
        guard !key.utf8.allSatisfy({ $0 < 0x80 }) else { return key }
        let letters: [Character: String] = ["ø": "o", "ł": "l", "ß": "ss", "æ": "ae", "đ": "d"]
        return key.map { letters[$0] ?? String($0) }.joined()
            .folding(options: .diacriticInsensitive, locale: nil)
    }
}
