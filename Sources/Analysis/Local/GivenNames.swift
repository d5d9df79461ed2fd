import Foundation

/// Names from `names.txt`, lower case and without accents: evidence that a capitalised word is a
/// person, or none that one knows.
///
/// Names that are in no list are found by their context.
enum GivenNames {
    private static let lists = WordList.sections(PackageResources.names_txt)

    /// Names that are hardly ever anything else.
    static let plain = lists["plain"] ?? []

    /// Names that are also words, months, or places: they need more of the context.
    static let ambiguous = lists["ambiguous"] ?? []

    /// Whom everybody knows and nobody meets, works, brands; by the first word.
    static let famous = phrases("public")

    /// Shops and brands without their `'s`, by the first word.
    static let shops = phrases("shops")

    /// Verbs of what only people do.
    static let deeds = lists["deeds"] ?? []

    /// Nouns behind a name that make it something else: a concert, a cake.
    static let works = lists["works"] ?? []

    /// Animals that have names.
    static let pets = lists["pets"] ?? []

    private static func phrases(_ section: String) -> [String: [[String]]] {
        Dictionary(
            grouping: (lists[section] ?? []).map { $0.split(separator: " ").map(String.init) }
        ) { $0[0] }
    }

    /// A word as the lists have it: without accents.
    static func folded(_ key: String) -> String {
        guard !key.utf8.allSatisfy({ $0 < 0x80 }) else { return key }
        let letters: [Character: String] = ["ø": "o", "ł": "l", "ß": "ss", "æ": "ae", "đ": "d"]
        return key.map { letters[$0] ?? String($0) }.joined()
            .folding(options: .diacriticInsensitive, locale: nil)
    }

    /// The words of a literal, of which white space is no part.
    static func words(_ text: String) -> Set<String> {
        Set(text.split(whereSeparator: \.isWhitespace).map(String.init))
    }
}
