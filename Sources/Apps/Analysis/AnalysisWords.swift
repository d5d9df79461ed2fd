import TextTables

/// The words of ``LocalAnalyser``, read from tables once per process.
struct AnalysisWords: Sendable {
    let themes: ThemeLexicon
    let moods: MoodWords
    let names: WordLists<NameList>
    let places: PlaceLists
    let kinship: KinshipWords

    static let tables = [
        ThemeLexicon.table, MoodWords.table, NameList.table, PlaceLists.table, KinshipWords.table,
    ]

    static let chosen = ChosenOnce<AnalysisWords> {
        do throws(TableFault) {
            return try AnalysisWords(.builtIn)
        } catch {
            preconditionFailure("BUG: \(error)")
        }
    }

    static let current = chosen.value()

    init(_ files: TableFiles) throws(TableFault) {
        themes = try ThemeLexicon(files.rows(of: ThemeLexicon.table))
        moods = try MoodWords(files.rows(of: MoodWords.table))
        names = try WordLists(files.rows(of: NameList.table))
        places = try PlaceLists(files.rows(of: PlaceLists.table))
        kinship = try KinshipWords(files.rows(of: KinshipWords.table))
    }
}
