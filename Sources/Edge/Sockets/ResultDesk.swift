import Meals
import Postgres
import Synchronization

/// Results in `sluice.undelivered`: reads those that nobody has had, deletes those that somebody has.
///
/// Deletions go to the database one statement at a time, each with all that came during the one
/// before. One that fails is tried again, for as long as the process lives; until it has worked its
/// results are kept from being read again.
final class ResultDesk: MealResults {
    private struct State {
        /// To be deleted, not asked for yet.
        var waiting: Set<Int64> = []
        /// Being deleted.
        var leaving: Set<Int64> = []
        var isWorking = false
    }

    private let database: Database
    private let state = Mutex(State())

    /// Frames of a page: together they fit into what a socket may leave unread.
    private static let pageMax = 8
    /// Deletions that are remembered; beyond, the next socket has them again.
    private static let waitingMax = 100_000
    private static let pause = Duration.seconds(1)
    private static let finishWithin = Duration.seconds(5)

    init(_ database: Database) {
        self.database = database
    }

    func page(of user: String, after id: Int64) async throws -> MealResultPage {
        // Known before the read: what is deleted meanwhile may be in it.
        let gone = state.withLock { $0.waiting.union($0.leaving) }
        let found = try await database.withConnection {
            try Undelivered.results(forUser: user, after: id, limit: Self.pageMax, on: $0)
        }
        return MealResultPage(
            results: found.filter { $0.id.map { !gone.contains($0) } ?? true },
            next: found.count < Self.pageMax ? nil : found.last?.id)
    }

    func delivered(_ id: Int64) {
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
                try? await Task.sleep(for: Self.pause)
            }
        }
    }

    func finish() async {
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
