import TextTables

/// The rows of `words.tsv`.
struct WordRoles: Sendable {
    var roles: [String: Lexicon.Role] = [:]
    /// Phrases by their first lemma, the longest first.
    var phrases: [String: [(lemmas: [String], role: Lexicon.Role)]] = [:]
    var preparations: Set<String> = []

    static let table = BuiltInTable(
        TableForm("words", version: 1, columns: ["role", "words"]), Embedded.words_tsv)

    init(_ rows: [TableRow]) throws(TableFault) {
        for row in rows {
            let name = row.text("role")
            guard let role = Lexicon.Role(name: name) else {
                throw row.fault("role", .notLike("a role that the built-in table has"))
            }
            for word in row.words("words") {
                let lemmas = word.split(separator: " ").map { Lemma.of(String($0)) }
                if lemmas.count == 1 {
                    roles[lemmas[0]] = role
                    if name == "preparation" { preparations.insert(word) }
                } else {
                    phrases[lemmas[0], default: []].append((lemmas, role))
                }
            }
        }
        for (first, some) in phrases {
            phrases[first] = some.sorted { $0.lemmas.count > $1.lemmas.count }
            for lemma in some.flatMap(\.lemmas) where roles[lemma] == nil {
                roles[lemma] = .filler
            }
        }
    }
}
