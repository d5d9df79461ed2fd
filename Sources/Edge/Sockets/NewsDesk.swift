public import NIOCore
import Notices
public import Postgres
import Synchronization

/// News in `sluice.undelivered`: reads those that nobody has had, deletes those that somebody has.
///
/// Deletions go to the database one statement at a time, each with all that came during the one
/// before. One that fails is tried again, for as long as the process lives; until it has worked its
/// news are kept from being read again.
public final class NewsDesk: PendingNews {
    private struct State {
        /// To be deleted, not asked for yet.
        var waiting: Set<Int64> = []
        /// Being deleted.
        var leaving: Set<Int64> = []
        var isWorking = false
    }

    /// A database that is away is not asked more often by each socket.
    public let pause = Duration.seconds(5)
    private let database: Database
    private let state = Mutex(State())

    /// Frames of a page: together they fit into what a socket may leave unread.
    private static let pageMax = 8
    /// Deletions that are remembered; beyond, the next socket has them again.
    private static let waitingMax = 100_000
    private static let deletionPause = Duration.seconds(1)
    private static let finishWithin = Duration.seconds(5)

    /// Asks nothing yet.
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
        // Known before the read: what is deleted meanwhile may be in it.
        let gone = state.withLock { $0.waiting.union($0.leaving) }
        let found = try await database.withConnection {
            try Undelivered.news(
                forUser: user, topic: topic, after: id, limit: Self.pageMax, on: $0)
        }
        return NewsPage(
            news: found.filter { $0.id.map { !gone.contains($0) } ?? true },
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
        while true {
            let ids = state.withLock { state -> [Int64] in
                state.leaving = state.waiting
                state.waiting = []
                state.isWorking = !state.leaving.isEmpty
                return state.leaving.sorted()
            }
            if ids.isEmpty { return }
            do {
                try await database.withConnection { try Undelivered.delivered(ids, on: $0) }
                state.withLock { $0.leaving = [] }
            } catch {
                state.withLock { state in
                    state.waiting.formUnion(state.leaving)
                    state.leaving = []
                }
                try? await Task.sleep(for: Self.deletionPause)
            }
        }
    }

    /// Waits until what was said to be delivered is written down, for some seconds at most. To be
    /// called when there are no sockets any more.
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

/// Where sockets get the news that none of their user's has had, and say which ones they have sent.
public protocol PendingNews: Sendable {
    /// After which news that could not be read are read again.
    var pause: Duration { get }

    /// Oldest first, a page at a time.
    ///
    /// - Parameter id: of the last one of the page before; 0 for the first page.
    /// - Returns: a page, and whether another may follow; on that loop.
    func page(
        of user: String, topic: String, after id: Int64, on eventLoop: any EventLoop
    ) -> EventLoopFuture<NewsPage>

    /// A socket has it. Never blocks.
    func delivered(_ id: Int64)
}

/// Some of the news that nobody has had.
public struct NewsPage: Sendable {
    var news: [News]
    /// The last id that was looked at; nil: there are no more.
    var next: Int64?
}
