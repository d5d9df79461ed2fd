import ArgumentParser
import Foundation
import Postgres
import Server

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

    @Option(
        help: ArgumentHelp(
            """
            UTC days in each partition of the tables of readings, 1 to 31; 7 begins on Mondays. \
            Can be chosen only before the first partition exists. Default: 1.
            """, valueName: "days"))
    var partitionDays: Int?

    func validate() throws {
        if let partitionDays, !(1...31).contains(partitionDays) {
            throw ValidationError("--partition-days must be 1 to 31")
        }
    }

    func run() {
        ExitError.unlessDone {
            let access = try DatabaseAccess(options.read(), makesCluster: true)
            let outcome = Result {
                try access.migrate { progress in
                    guard case .waits = progress else { return }
                    print(progress)
                    fflush(nil)
                }
            }
            let distributed: Result<ShardTable?, any Error>? =
                (try? outcome.get()) == nil
                ? nil
                : Result { () throws -> ShardTable? in
                    if let partitionDays { try access.choosePartitionDays(partitionDays) }
                    return try citus ? access.distribute() : nil
                }
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
