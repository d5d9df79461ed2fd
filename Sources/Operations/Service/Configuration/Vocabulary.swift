import Analysis
import Meals
public import TextTables

/// The tables of words that meals and captures are read with.
public enum Vocabulary {
    /// As they are in the binary, by name.
    public static var tables: [BuiltInTable] {
        (Meals.tables + Analysis.tables).sorted { $0.form.name < $1.form.name }
    }

    /// Takes the configured directory's tables for the rest of the process; before the first word is
    /// read.
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
