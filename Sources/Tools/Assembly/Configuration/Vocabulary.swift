import Analysis
import Meals
public import Server
public import TextTables

/// The word tables for meals and captures.
public enum Vocabulary {
    /// The built-in tables, sorted by name.
    public static var tables: [BuiltInTable] {
        (Meals.tables + Analysis.tables).sorted { $0.form.name < $1.form.name }
    }

    /// Uses the configured directory's tables for the rest of the process. Must be called before
    /// the first word is read.
    public static func use(_ configuration: ServiceConfiguration) throws(StartFailure) {
        let directory = configuration.applications.wordsDirectory
        guard !directory.isEmpty else { return }
        do throws(TableFault) {
            let files = try TableFiles(directory: directory, names: tables.map(\.form.name))
            try Meals.use(files)
            try Analysis.use(files)
        } catch {
            throw .words(error)
        }
    }
}
