import ArgumentParser
import Postgres
import SluiceService

struct Migrate: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Bring the database's schema up to date; serve does so by itself.")

    @OptionGroup var options: ConfigurationOptions

    func run() {
        Complaint.unlessDone {
            let access = try DatabaseAccess(options.read())
            let outcome = Result { try access.migrate() }
            try access.close()
            let report = try outcome.get()
            for name in report.applied { print("ran \(name)") }
            for notice in report.notices { print("notice: \(notice)") }
            print("the schema is at version \(report.version)")
        }
    }
}
