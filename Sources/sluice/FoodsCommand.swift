import ArgumentParser
import Foundation
import Meals
import Postgres
import SluiceService
import TextTables

struct FoodsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "foods",
        abstract: "Foods that meal logs are matched with.",
        subcommands: [Import.self, Load.self, Print.self])

    struct Import: DatabaseCommand {
        static let configuration = CommandConfiguration(
            abstract: "Load the foods of USDA FoodData Central beside the typical ones.",
            discussion: """
                DIRECTORY is an unpacked download in CSV form from fdc.nal.usda.gov: \
                food.csv, nutrient.csv, food_nutrient.csv, food_portion.csv, and measure_unit.csv \
                where it is part of it. Foundation, SR legacy and survey foods are read, branded \
                ones are not.

                All of them are written or none; the same again changes nothing. Running servers \
                take the new foods with the next meal.
                """)

        @OptionGroup var options: ConfigurationOptions
        @Argument(help: "Where food.csv lies.", completion: .directory)
        var directory: String

        func run(_ configuration: ServiceConfiguration, _ connection: Connection) throws {
            try Vocabulary.use(configuration)
            let files = CountedFiles(files: FoodDataDirectory(path: directory))
            let report: FoodImportReport
            do throws(FoodImportFault) {
                report = try FoodImport().foods(in: files)
            } catch {
                ProgressLine.end()
                throw Complaint(error, directory: directory)
            }
            connection.deadline = .now + .seconds(600)
            let tally = try FoodStore.write(report.foods, on: connection) { count in
                ProgressLine.show("\(count) of \(report.foods.count) foods written")
            }
            ProgressLine.end()
            print("\(report.rows) rows read")
            print(
                "\(tally.new) foods are new, \(tally.changed) changed, \(tally.same) as they were")
            for reason in FoodImportReport.Reason.allCases {
                guard let count = report.leftOut[reason] else { continue }
                print("\(count) left out: \(Self.text(reason))")
            }
        }

        private static func text(_ reason: FoodImportReport.Reason) -> String {
            switch reason {
            case .energyMissing: "energy is not given"
            case .nutrientMissing: "protein, carbohydrate or fat is not given"
            case .implausible: "more than 100 g in 100 g, or more energy than fat has"
            case .nameMissing: "no name"
            }
        }
    }

    struct Load: DatabaseCommand {
        static let configuration = CommandConfiguration(
            abstract: "Load a table of typical foods.",
            discussion: """
                FILE is a table as `sluice foods print` writes it. With "sluice foods 1 extends" as \
                its first line its foods are added to the others; otherwise typical foods that it \
                lacks are removed. A food that is there by its name takes the table's values.

                All of it is done or nothing. Foods of FoodData Central and of users stay as they \
                are, and so do meals that were logged. Running servers take the foods with the \
                next meal.
                """)

        @OptionGroup var options: ConfigurationOptions
        @Argument(help: "The table.", completion: .file(extensions: ["tsv"]))
        var file: String

        func run(_ configuration: ServiceConfiguration, _ connection: Connection) throws {
            let table: TextTable
            let foods: [Food]
            do throws(TableFault) {
                table = try TextTable(TableFiles.bytes(of: file), of: FoodTable.form, file: file)
                foods = try FoodTable.foods(table)
            } catch {
                throw Complaint("\(error)", code: EX_DATAERR)
            }
            connection.deadline = .now + .seconds(600)
            let tally = try FoodStore.writeTypical(foods, extends: table.extends, on: connection)
            print(
                "\(tally.new) foods are new, \(tally.changed) changed, \(tally.same) as they were, "
                    + "\(tally.removed) removed")
        }
    }

    struct Print: DatabaseCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write the typical foods as a table, to change and load again.",
            discussion: "sluice foods print >foods.tsv")

        @OptionGroup var options: ConfigurationOptions

        func run(_ configuration: ServiceConfiguration, _ connection: Connection) throws {
            print(FoodTable.text(try FoodStore.typical(on: connection)), terminator: "")
        }
    }

    /// Shows how many bytes of the files have been read.
    private struct CountedFiles: FoodDataFiles {
        let files: FoodDataDirectory

        func read(
            _ name: String, _ take: ([UInt8]) throws(FoodImportFault) -> Void
        ) throws(FoodImportFault) {
            var bytes = 0
            try files.read(name) { chunk throws(FoodImportFault) in
                bytes += chunk.count
                ProgressLine.show("\(name): \(bytes >> 20) MiB")
                try take(chunk)
            }
        }
    }
}

struct WordsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "words",
        abstract: "The tables of words that meals and captures are read with.",
        discussion: """
            Without NAME: what tables there are. With it: the built-in table, to change and to put \
            into the directory that SLUICE_WORDS_DIRECTORY names. A table whose first line ends in \
            "extends" needs to have only what it adds; another one stands in the built-in one's place.

              sluice words units >words/units.tsv
              sluice serve --set SLUICE_WORDS_DIRECTORY=words
            """)

    @Argument(
        help: "Which table.", completion: .list(Vocabulary.tables.map(\.form.name)))
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
            Complaint("there is no table '\(name)'; see `sluice words`", code: EX_USAGE).end()
        }
        FileHandle.standardOutput.write(Data(table.bytes))
    }
}
