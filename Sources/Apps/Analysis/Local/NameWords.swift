import Foundation
import TextTables

/// Words around a name that say that it is one, lower case.
enum NameWords {
    /// Before a name: somebody was met, called, thanked.
    static let before = AnalysisWords.current.names[.before]

    /// `to` behind these goes to a person.
    static let towards = AnalysisWords.current.names[.towards]

    /// Behind a name: somebody did something.
    static let after = AnalysisWords.current.names[.after]

    /// Behind a possessive: a person has them.
    static let owned = AnalysisWords.current.names[.owned]

    /// Before a capitalised word that is a place, not a person.
    static let local = AnalysisWords.current.names[.local]

    /// In or behind a run of capitalised words: an institution or a place, not a person.
    static let institutions = AnalysisWords.current.names[.institution]

    /// Lower-case words that may stand inside of a name.
    static let particles = AnalysisWords.current.names[.particle]
}

/// Names, lower case and without accents: evidence that a capitalised word is a
/// person, or none that one knows.
///
/// Names that are in no list are found by their context.
enum GivenNames {
    /// Names that are hardly ever anything else.
    static let plain = AnalysisWords.current.names[.plain]

    /// Names that are also words, months, or places: they need more of the context.
    static let ambiguous = AnalysisWords.current.names[.ambiguous]

    /// Whom everybody knows and nobody meets, works, brands; by the first word.
    static let famous = phrases(.public)

    /// Shops and brands without their `'s`, by the first word.
    static let shops = phrases(.shop)

    /// Verbs of what only people do.
    static let deeds = AnalysisWords.current.names[.deed]

    /// Nouns behind a name that make it something else: a concert, a cake.
    static let works = AnalysisWords.current.names[.work]

    /// Animals that have names.
    static let pets = AnalysisWords.current.names[.pet]

    private static func phrases(_ list: NameList) -> [String: [[String]]] {
        Dictionary(
            grouping: AnalysisWords.current.names[list].map {
                $0.split(separator: " ").map(String.init)
            }
        ) { $0[0] }
    }

    /// A word as the lists have it: without accents.
    static func folded(_ key: String) -> String {
        guard !key.utf8.allSatisfy({ $0 < 0x80 }) else { return key }
        let letters: [Character: String] = ["ø": "o", "ł": "l", "ß": "ss", "æ": "ae", "đ": "d"]
        return key.map { letters[$0] ?? String($0) }.joined()
            .folding(options: .diacriticInsensitive, locale: nil)
    }
}

/// Capitalised words that are no people, lower case.
enum NotNames {
    /// Calendar, languages, peoples, brands, organisations, feasts.
    static let things = AnalysisWords.current.names[.thing]

    /// Words that start sentences with a capital letter and name nobody.
    static let starters = AnalysisWords.current.names[.starter]

    /// Cities, countries and other places that are often spoken of.
    static let places = AnalysisWords.current.names[.place]
}

/// The lists of `names.tsv`, which says what they are.
enum NameList: String, CaseIterable, Sendable {
    case plain, ambiguous, `public`, shop, deed, work, pet
    case before, towards, after, owned, local, institution, particle
    case thing, starter, place

    static let table = BuiltInTable(
        TableForm("names", version: 1, columns: ["list", "words"]), Embedded.names_tsv)
}
