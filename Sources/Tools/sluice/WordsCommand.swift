import ArgumentParser
import Assembly
import Commands
import Foundation
import Meals
import Postgres
import Server
import TextTables

struct WordsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "words",
        abstract: "Print the word tables that are used to read meals and captures.",
        discussion: """
            Without NAME: lists the tables. With NAME: prints the built-in table, to edit and to \
            put into SLUICE_WORDS_DIRECTORY. A table whose first line ends in "extends" adds its \
            lines to the built-in table; any other table replaces it.

              sluice words units >words/units.tsv
              sluice serve --set SLUICE_WORDS_DIRECTORY=words
            """)

    @Argument(
        help: "The table to print.", completion: .list(Vocabulary.tables.map(\.form.name)))
    var name: String?

    func run() throws {
        let tables = Vocabulary.tables
        guard let name else {
            for table in tables {
                print("\(table.form.name): \(table.form.columns.joined(separator: ", "))")
            }
            return
        }
        guard let table = tables.first(where: { $0.form.name == name }) else {
            ExitError("unknown table '\(name)'; see `sluice words`", code: EX_USAGE).end()
        }
        FileHandle.standardOutput.write(Data(table.bytes))
    }
}
