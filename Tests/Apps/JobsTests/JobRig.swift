import Instruments
import Jobs
import Logging
import Postgres
import ServiceLifecycle
import TestSupport

/// A database with a table `applied`, to which jobs write, and runners on it.
struct JobRig {
    let settings: ConnectionSettings
    let connection: Connection

    init() throws {
        settings = try TestCluster.shared.freshDatabase(named: "jobs")
        connection = try Connection.open(settings, deadline: .now + .seconds(600))
        try connection.execute("create table applied (key text not null)")
    }

    /// Short pauses and few attempts, so that tests are quick.
    static var quick: JobConfiguration {
        var configuration = JobConfiguration()
        configuration.pauseMin = .milliseconds(20)
        configuration.pauseMax = .milliseconds(100)
        configuration.attemptsMax = 3
        configuration.pollInterval = .seconds(3600)
        configuration.stopMax = .milliseconds(200)
        return configuration
    }

    func database() -> Database {
        var settings = settings
        settings.applicationName = "runner"
        return Database(settings)
    }

    func runner(
        _ handlers: [any JobHandler], _ configuration: JobConfiguration = quick,
        database: Database? = nil, registry: Registry = Registry()
    ) -> JobRunner {
        JobRunner(
            settings: settings, database: database ?? self.database(), handlers: handlers,
            node: "node", configuration: configuration, registry: registry,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// Runs the runner as the server does, during `body`; then stops it gracefully.
    func running(_ runner: JobRunner, _ body: () async throws -> Void) async throws {
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [.init(service: runner)],
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
        let task = Task { try await group.run() }
        do {
            try await body()
        } catch {
            task.cancel()
            throw error
        }
        await group.triggerGracefulShutdown()
        try await task.value
    }

    func enqueue(_ key: String, payload: String = "{}", after delay: Duration = .zero) throws {
        try JobStore.enqueue(
            TestHandler.testKind, key: key, payload: payload, after: delay, on: connection)
    }

    /// The result of a job: a row with its key.
    static func applying(_ job: Job) -> JobOutcome {
        .done { try apply(job, on: $0) }
    }

    static func apply(_ job: Job, on connection: Connection) throws {
        var parameters = Parameters()
        parameters.append(text: job.key)
        try connection.query("insert into applied values ($1)", parameters)
    }

    var applied: [String] {
        get throws {
            let rows = try connection.query("select key from applied order by key")
            return (0..<rows.count).map { rows.string($0, 0) }
        }
    }

    var left: [JobRecord] {
        get throws { try JobStore.list(on: connection) }
    }

    /// Waits until only dead jobs remain.
    func isWorkedOff() async throws -> Bool {
        try await becomes { try left.allSatisfy { $0.state == .dead } }
    }

    /// Waits until the condition holds.
    func becomes(_ condition: () throws -> Bool) async throws -> Bool {
        try await eventually { try condition() }
    }
}
