import ArgumentParser
import Foundation
import Meals
import Postgres
import SluiceService

struct FoodsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "foods",
        abstract: "Foods that meal logs are matched with.",
        subcommands: [Import.self])

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

    /// Shows how far the files have been read.
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
