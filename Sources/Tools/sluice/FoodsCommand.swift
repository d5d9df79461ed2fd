import ArgumentParser
import Assembly
import Commands
import Foundation
import Meals
import Postgres
import Server
import TextTables

struct FoodsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "foods",
        abstract: "Import, load or print the foods that meal logs are matched with.",
        subcommands: [Import.self, Load.self, Print.self])

    struct Import: DatabaseCommand {
        static let configuration = CommandConfiguration(
            abstract: "Import the foods of USDA FoodData Central in addition to the typical ones.",
            discussion: """
                DIRECTORY is an unpacked CSV download from fdc.nal.usda.gov: food.csv, \
                nutrient.csv, food_nutrient.csv, food_portion.csv, and measure_unit.csv if the \
                download contains it. Foundation, SR legacy and survey foods are imported, branded \
                foods are not.

                Writes all foods or none. A second import of the same files changes nothing. \
                Running servers use the new foods from the next meal on.
                """)

        @OptionGroup var options: ConfigurationOptions
        @Argument(help: "The directory that contains food.csv.", completion: .directory)
        var directory: String

        var files: [String] { [directory] }

        func run(_ configuration: ServiceConfiguration, _ connection: Connection) throws {
            try Vocabulary.use(configuration)
            let files = CountedFiles(files: FoodDataDirectory(path: directory))
            let report: FoodImportReport
            do throws(FoodImportFault) {
                report = try FoodImport().foods(in: files)
            } catch {
                ProgressLine.end()
                throw ExitError(error, at: directory)
            }
            connection.deadline = .now + .seconds(600)
            let tally = try FoodStore.write(report.foods, on: connection) { count in
                ProgressLine.show("\(count) of \(report.foods.count) foods written")
            }
            ProgressLine.end()
            print("\(report.rows) rows read")
            print(
                "\(tally.new) foods are new, \(tally.changed) changed, \(tally.same) unchanged")
            for reason in FoodImportReport.Reason.allCases {
                guard let count = report.leftOut[reason] else { continue }
                print("\(count) left out: \(Self.text(reason))")
            }
        }

        private static func text(_ reason: FoodImportReport.Reason) -> String {
            switch reason {
            case .energyMissing: "the energy is missing"
            case .nutrientMissing: "protein, carbohydrate or fat is missing"
            case .implausible: "nutrients exceed 100 g in 100 g, or more energy than pure fat"
            case .nameMissing: "the name is missing"
            }
        }
    }

    struct Load: DatabaseCommand {
        static let configuration = CommandConfiguration(
            abstract: "Load a table of typical foods.",
            discussion: """
                FILE is a table in the format of `sluice foods print`. If its first line is \
                "sluice foods 1 extends", its foods are added to the existing ones; otherwise \
                typical foods that are not in the table are removed. A food that already exists by \
                its name takes the values of the table.

                Loads the whole table or nothing. Foods of FoodData Central and of users do not \
                change, nor do logged meals. Running servers use the foods from the next meal on.
                """)

        @OptionGroup var options: ConfigurationOptions
        @Argument(help: "The table; - is standard input.", completion: .file(extensions: ["tsv"]))
        var file: String

        var files: [String] { [file] }

        func run(_ configuration: ServiceConfiguration, _ connection: Connection) throws {
            let table: TextTable
            let foods: [Food]
            do throws(TableFault) {
                table = try TextTable(TableFiles.bytes(of: file), of: FoodTable.form, file: file)
                foods = try FoodTable.foods(table)
            } catch {
                throw ExitError("\(error)", code: EX_DATAERR)
            }
            connection.deadline = .now + .seconds(600)
            let tally = try FoodStore.writeTypical(foods, extends: table.extends, on: connection)
            print(
                "\(tally.new) foods are new, \(tally.changed) changed, \(tally.same) unchanged, "
                    + "\(tally.removed) removed")
        }
    }

    struct Print: DatabaseCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the typical foods as a table that you can edit and load.",
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
