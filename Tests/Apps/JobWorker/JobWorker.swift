import Foundation
import Instruments
import Jobs
import Logging
import Postgres

/// A process that runs jobs until it is killed: `job-worker <connection string>`.
///
/// Each job of the kind `test.run` writes its key to the table `applied`.
@main struct JobWorker {
    private struct Handler: JobHandler {
        let kind = JobKind("test.run")

        func run(_ job: Job, _ context: JobContext) async throws -> JobOutcome {
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...5)))
            return .done { connection in
                var parameters = Parameters()
                parameters.append(text: job.key)
                try connection.query("insert into applied values ($1)", parameters)
            }
        }
    }

    static func main() async throws {
        let settings = try ConnectionSettings(CommandLine.arguments[1])
        var configuration = JobConfiguration()
        configuration.lease = .milliseconds(500)
        configuration.pollInterval = .milliseconds(100)
        configuration.attemptsMax = 1000
        let runner = JobRunner(
            settings: settings, database: Database(settings), handlers: [Handler()],
            node: "worker \(getpid())", configuration: configuration, registry: Registry(),
            logger: Logger(label: "worker"))
        try await runner.run()
    }
}
