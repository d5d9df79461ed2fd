import TextTables

/// The lists of `names.tsv`, which describes them.
enum NameList: String, CaseIterable, Sendable {
    case plain, ambiguous, `public`, shop, deed, work, pet
    case before, enjoyed, others, towards, after, owned, local, institution, particle
    case thing, starter, place

    static let table = BuiltInTable(
        TableForm("names", version: 1, columns: ["list", "words"]), Embedded.names_tsv)
}
