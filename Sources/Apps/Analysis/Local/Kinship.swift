import TextTables

/// Words for what one person is to another.
enum Kinship {
    /// The singular of a word for a person, as shown as a contact's relationship: `bosses` →
    /// `boss`.
    static func relationship(_ key: String) -> String? {
        if let plain = aliases[key] { return plain }
        if singular.contains(key) { return key }
        for ending in ["es", "s"] where key.hasSuffix(ending) {
            let stem = String(key.dropLast(ending.count))
            if singular.contains(stem) { return stem }
        }
        return nil
    }

    private static let words = AnalysisWords.current.kinship

    /// Names of relatives who need no other name, in lower case: `Mom` → mother.
    static let family = words.persons[.family] ?? [:]
    /// Words before a name that say who the person is: `Uncle Bob`.
    static let familyTitles = words.persons[.relative] ?? [:]
    /// Words before a name that are part of it if the name has only one word: `Dr. Chen`.
    static let titles = words.persons[.title] ?? [:]
    private static let aliases = words.persons[.also] ?? [:]
    private static let singular = words.singular
}
