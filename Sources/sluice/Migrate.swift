import ArgumentParser
import Foundation
import Postgres
import SluiceService

struct Migrate: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Migrate the database to the current schema; serve does so by itself.")

    @OptionGroup var options: ConfigurationOptions

    @Flag(
        help: """
            Also distribute the tables over the nodes of a Citus cluster. Repeat it after each \
            upgrade. Existing rows are moved, and writes wait until then.
            """)
    var citus = false

    func run() {
        Complaint.unlessDone {
            let access = try DatabaseAccess(options.read(), makesCluster: true)
            let outcome = Result {
                try access.migrate { progress in
                    guard case .waits = progress else { return }
                    print(progress)
                    fflush(nil)
                }
            }
            let distributed =
                citus && (try? outcome.get()) != nil
                ? Result { try access.distribute() } : nil
            try access.close()
            let report = try outcome.get()
            for name in report.applied { print("ran \(name)") }
            for notice in report.notices { print("notice: \(notice)") }
            print("the schema is at version \(report.version)")
            guard let shards = try distributed?.get() else { return }
            let nodes = shards.owners.map(\.description).joined(separator: ", ")
            print("rows are in \(shards.shards.count) shards on \(nodes)")
        }
    }
}
