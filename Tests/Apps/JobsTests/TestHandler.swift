import Jobs
import Postgres
import Synchronization
import TestSupport

/// A handler whose work the test chooses. Records its runs.
final class TestHandler: JobHandler {
    static let testKind = JobKind("test.run")

    let kind: JobKind
    private let body: @Sendable (Job, JobContext) async throws -> JobOutcome
    private let last: (@Sendable (Job, Connection) throws -> Void)?
    private let runs = Mutex<[Job]>([])

    init(
        _ kind: JobKind = testKind,
        last: (@Sendable (Job, Connection) throws -> Void)? = nil,
        _ body: @escaping @Sendable (Job, JobContext) async throws -> JobOutcome
    ) {
        self.kind = kind
        self.body = body
        self.last = last
    }

    func givingUp(_ job: Job) -> (@Sendable (Connection) throws -> Void)? {
        guard let last else { return nil }
        return { connection in try last(job, connection) }
    }

    /// Every run that has begun.
    var begun: [Job] { runs.withLock { $0 } }

    func run(_ job: Job, _ context: JobContext) async throws -> JobOutcome {
        runs.withLock { $0.append(job) }
        return try await body(job, context)
    }

    /// Waits until this many runs have begun.
    func hasBegun(_ count: Int) async throws -> Bool {
        try await eventually { begun.count >= count }
    }
}
