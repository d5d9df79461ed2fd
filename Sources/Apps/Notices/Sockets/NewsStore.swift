public import NIOCore
import Notices
public import Postgres
import Synchronization

/// News in `sluice.undelivered`: reads undelivered ones, deletes delivered ones.
///
/// Deletions are sent to the database one statement at a time. Each statement covers all deliveries
/// during the previous one. A failed deletion is retried while the process lives; until it
/// succeeds, its news are not read again. A row that the database refuses to delete is found by
/// halving, and tried again by itself after pauses that double.
public final class NewsStore: PendingNews {
    private struct State {
        /// To be deleted, not sent to the database yet.
        var waiting: Set<Int64> = []
        /// Being deleted.
        var leaving: Set<Int64> = []
        /// The database refused to delete them.
        var refused: Set<Int64> = []
        var isWorking = false
    }

    /// An unreachable database is not queried more often than this by each socket.
    public let pause = Duration.seconds(5)
    private let database: Database
    private let state = Mutex(State())

    /// Frames per page; a page fits into the bytes that a socket may leave unread.
    private static let pageMax = 8
    /// Pending deletions; beyond this number, the next socket gets the news again.
    private static let waitingMax = 100_000
    private static let deletionPause = Duration.seconds(1)
    private static let refusedPauseMax = Duration.seconds(60)
    /// Statements by which one round looks for the rows that are refused.
    private static let statementsMax = 64
    private static let finishWithin = Duration.seconds(5)

    /// Does not query the database yet.
    public init(_ database: Database) {
        self.database = database
    }

    /// See ``PendingNews``.
    public func page(
        of user: String, topic: String, after id: Int64, on eventLoop: any EventLoop
    ) -> EventLoopFuture<NewsPage> {
        eventLoop.makeFutureWithTask { try await self.page(of: user, topic: topic, after: id) }
    }

    private func page(
        of user: String, topic: String, after id: Int64
    ) async throws -> NewsPage {
        // Taken before the read, whose result may hold news that are deleted meanwhile.
        let gone = state.withLock { $0.waiting.union($0.leaving).union($0.refused) }
        let found = try await database.withConnection {
            try Undelivered.news(
                forUser: user, topic: topic, after: id, limit: Self.pageMax, on: $0)
        }
        return NewsPage(
            news: found.filter { !gone.contains($0.id) },
            next: found.count < Self.pageMax ? nil : found.last?.id)
    }

    /// See ``PendingNews``.
    public func delivered(_ id: Int64) {
        let begins = state.withLock { state in
            guard state.waiting.count < Self.waitingMax else { return false }
            state.waiting.insert(id)
            defer { state.isWorking = true }
            return !state.isWorking
        }
        guard begins else { return }
        Task { await work() }
    }

    private func work() async {
        var pause = Self.deletionPause
        var retryAt = ContinuousClock.now
        while true {
            let isRetry = retryAt <= .now
            let (ids, isWorking) = state.withLock { state -> ([Int64], Bool) in
                state.leaving = state.waiting
                state.waiting = []
                if isRetry {
                    state.leaving.formUnion(state.refused)
                    state.refused = []
                }
                state.isWorking = !state.leaving.isEmpty || !state.refused.isEmpty
                return (state.leaving.sorted(), state.isWorking)
            }
            guard isWorking else { return }
            guard !ids.isEmpty else {
                try? await Task.sleep(for: Self.deletionPause)
                continue
            }
            do {
                var statements = Self.statementsMax
                let refused = try await delete(ids[...], &statements)
                state.withLock { state in
                    state.leaving = []
                    state.refused.formUnion(refused)
                }
                if refused.isEmpty {
                    pause = Self.deletionPause
                } else {
                    retryAt = .now + pause
                    pause = min(pause * 2, Self.refusedPauseMax)
                }
            } catch {
                state.withLock { state in
                    state.waiting.formUnion(state.leaving)
                    state.leaving = []
                }
                try? await Task.sleep(for: Self.deletionPause)
            }
        }
    }

    /// - Returns: those that the database refuses to delete.
    private func delete(
        _ ids: ArraySlice<Int64>, _ statements: inout Int
    ) async throws -> [Int64] {
        guard statements > 0 else { return Array(ids) }
        statements -= 1
        do {
            try await database.withConnection { try Undelivered.delivered(Array(ids), on: $0) }
            return []
        } catch let error as PostgresError where error.kind == .refused {
            guard ids.count > 1 else { return Array(ids) }
            let middle = ids.startIndex + ids.count / 2
            return try await delete(ids[..<middle], &statements)
                + delete(ids[middle...], &statements)
        }
    }

    /// Waits, for some seconds at most, until delivered news are deleted. To be called when there
    /// are no sockets any more.
    public func finish() async {
        let deadline = ContinuousClock.now + Self.finishWithin
        while state.withLock({ $0.isWorking }), ContinuousClock.now < deadline {
            do {
                try await Task.sleep(for: .milliseconds(5))
            } catch {
                return
            }
        }
    }
}
