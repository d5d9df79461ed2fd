import Foundation
import Logging
import Postgres
import Readings
import Synchronization
import TestSupport

@testable import Analysis
@testable import Jobs
@testable import Media

/// A database with captures and jobs. Jobs run one by one when the test says so, with a clock that
/// the test sets, and "crash" where the test wants.
final class JobWorld {
    /// How a run ends.
    enum Ending: CaseIterable {
        /// Committed.
        case whole
        /// The process ends before the commit.
        case lostBeforeCommit
        /// The process ends in the commit, which is rolled back.
        case rolledBack
        /// Committed by two runners that both believe they own the job.
        case twice
    }

    /// A job whose lease another runner has taken. Without this error the test would not notice.
    struct LeaseLost: Error {}

    let database: Database
    let connection: Connection
    private let handlers: [JobKind: any JobHandler]
    private let clock: ClockBox

    /// - Parameter settings: nil: makes a new database.
    init(
        _ configuration: AnalysisConfiguration = AnalysisConfiguration(),
        analyser: any Analyser = LocalAnalyser(),
        media: @escaping PhotoSource.MediaReader = { _, _ in nil },
        on settings: ConnectionSettings? = nil
    ) throws {
        let settings =
            try settings ?? TestCluster.shared.freshDatabase(named: "analysis")
        database = Database(settings)
        connection = try Connection.open(settings, deadline: .now + .seconds(110))
        let box = ClockBox()
        let handlers = AnalysisJobs.handlers(
            configuration, analyser: analyser, media: media, inspector: .forTests,
            clock: { box.now })
        self.handlers = Dictionary(uniqueKeysWithValues: handlers.map { ($0.kind, $0) })
        clock = box
    }

    /// The handlers' time; never behind the database's.
    var now: Timestamp { clock.now }

    func advance(_ duration: Duration) { clock.advance(duration) }

    private final class ClockBox: Sendable {
        private let offset = Mutex<Duration>(.zero)

        var now: Timestamp {
            AnalysisJobs.systemClock().adding(offset.withLock { $0 })
        }

        func advance(_ duration: Duration) { offset.withLock { $0 += duration } }
    }

    // MARK: Captures

    /// Stores a capture as a lane does.
    @discardableResult
    func capture(
        _ id: String, user: String = "anna", at time: Timestamp, _ text: String?,
        photo: String? = nil
    ) throws -> String {
        struct Payload: Encodable {
            var id: String
            var user: String
            var t: String
            var at: String
            var text: String?
            var photo: String?
        }
        let payload = Payload(
            id: id, user: user, t: time.secondsText, at: AnalysisJobs.systemClock().secondsText,
            text: text, photo: photo)
        var parameters = Parameters()
        parameters.append(texts: [StoredJSON.text(payload)])
        let rows = try connection.query(
            "select result from sluice.store_captures($1, array[now()], array[false])", parameters)
        return rows.string(0, 0)
    }

    // MARK: Runs

    private var context: JobContext {
        JobContext(
            database: database, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            isLastAttempt: false)
    }

    /// Runs one of the jobs that are due by the handlers' clock.
    ///
    /// - Returns: false when no job is due.
    func runOne(
        _ ending: Ending = .whole, using generator: inout some RandomNumberGenerator
    ) async throws -> Bool {
        var parameters = Parameters()
        parameters.append(timestamptz: now.microseconds)
        let rows = try connection.query(
            """
            select id, kind, key, payload, attempts from sluice.job
            where due_at <= $1 and dead_at is null order by id
            """, parameters)
        guard rows.count > 0 else { return false }
        let row = Int.random(in: 0..<rows.count, using: &generator)
        let job = Job(
            id: rows.int64(row, 0), kind: JobKind(rows.string(row, 1)), key: rows.string(row, 2),
            payload: rows.string(row, 3), attempts: Int(rows.int32(row, 4)) + 1,
            lease: try lease(rows.int64(row, 0)))
        guard let handler = handlers[job.kind] else { preconditionFailure("BUG: \(job.kind)") }
        switch try await handler.run(job, context) {
        case .again(let after, let reason): try putOff(job, after, reason)
        case .done(let commit):
            switch ending {
            case .whole: try finish(job, commit)
            case .lostBeforeCommit: try giveBack(job)
            case .rolledBack:
                try? connection.transaction {
                    try commit(connection)
                    throw LeaseLost()
                }
                try giveBack(job)
            case .twice:
                try finish(job, commit)
                do {
                    try finish(job, commit)
                    preconditionFailure("a job was finished twice")
                } catch is LeaseLost {}
            }
        }
        return true
    }

    /// Analyses a capture and returns its writes without executing them.
    func commit(
        ofCapture id: String, user: String
    ) async throws -> @Sendable (Connection) throws -> Void {
        let payload = JobPayload(user: user, capture: id).text
        let job = Job(
            id: 0, kind: AnalysisJobs.analyse, key: id, payload: payload, attempts: 1, lease: 0)
        guard let handler = handlers[job.kind],
            case .done(let commit) = try await handler.run(job, context)
        else { preconditionFailure("no outcome") }
        return commit
    }

    /// Runs all jobs that are due, and all that they schedule within a second.
    func settle(using generator: inout some RandomNumberGenerator) async throws {
        var runs = 0
        var before = -1
        while before != runs {
            before = runs
            while try await runOne(using: &generator) {
                runs += 1
                precondition(runs < 20_000, "jobs without end")
            }
            advance(.seconds(1))
        }
    }

    private func lease(_ id: Int64) throws -> Int64 {
        var parameters = Parameters()
        parameters.append(int8: id)
        return try connection.query(
            """
            update sluice.job set lease = nextval('sluice.job_lease'), attempts = attempts + 1,
                due_at = now() + interval '30 seconds'
            where id = $1 returning lease
            """, parameters
        ).int64(0, 0)
    }

    private func finish(_ job: Job, _ commit: (Connection) throws -> Void) throws {
        try connection.transaction {
            try commit(connection)
            var parameters = Parameters()
            parameters.append(int8: job.id)
            parameters.append(int8: job.lease)
            let rows = try connection.query("select sluice.finish_job($1, $2)", parameters)
            guard rows.bool(0, 0) else { throw LeaseLost() }
        }
    }

    private func giveBack(_ job: Job) throws {
        var parameters = Parameters()
        parameters.append(int8: job.id)
        try connection.query(
            "update sluice.job set lease = null, due_at = now() where id = $1", parameters)
    }

    private func putOff(_ job: Job, _ after: Duration, _ reason: String) throws {
        var parameters = Parameters()
        parameters.append(int8: job.id)
        parameters.append(timestamptz: now.adding(after).microseconds)
        parameters.append(text: reason)
        try connection.query(
            "update sluice.job set lease = null, due_at = $2, last_error = $3 where id = $1",
            parameters)
    }
}

extension Inspector {
    static let forTests = Inspector(
        program: BuiltProgram.path("sluice-inspect"),
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
}
