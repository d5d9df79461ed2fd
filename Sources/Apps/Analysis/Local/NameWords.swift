import Foundation
import TextTables

/// Words around a name that show that it is one, in lower case.
enum NameWords {
    /// Words before a name: somebody was met, called, thanked.
    static let before = AnalysisWords.current.names[.before]

    /// Words before a name that show that its owner's works are meant: "reading Murakami".
    static let enjoyed = AnalysisWords.current.names[.enjoyed]

    /// Possessives of other people than the speaker.
    static let others = AnalysisWords.current.names[.others]

    /// Words after which `to` leads to a person.
    static let towards = AnalysisWords.current.names[.towards]

    /// Words after a name: somebody did something.
    static let after = AnalysisWords.current.names[.after]

    /// Words after a possessive: things that a person has.
    static let owned = AnalysisWords.current.names[.owned]

    /// Words before a capitalised word that show that it is a place, not a person.
    static let local = AnalysisWords.current.names[.local]

    /// Words in or after a run of capitalised words that show that it is an institution or a place,
    /// not a person.
    static let institutions = AnalysisWords.current.names[.institution]

    /// Lower-case words that may be inside a name.
    static let particles = AnalysisWords.current.names[.particle]
}

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

/// Capitalised words that are not people, in lower case.
enum NotNames {
    /// Words of the calendar, languages, peoples, brands, organisations, feasts.
    static let things = AnalysisWords.current.names[.thing]

    /// Words that begin sentences with a capital letter and name nobody.
    static let starters = AnalysisWords.current.names[.starter]

    /// Cities, countries and other places that people often mention.
    static let places = AnalysisWords.current.names[.place]
}

/// The lists of `names.tsv`, which describes them.
enum NameList: String, CaseIterable, Sendable {
    case plain, ambiguous, `public`, shop, deed, work, pet
    case before, enjoyed, others, towards, after, owned, local, institution, particle
    case thing, starter, place

    static let table = BuiltInTable(
        TableForm("names", version: 1, columns: ["list", "words"]), Embedded.names_tsv)
}
