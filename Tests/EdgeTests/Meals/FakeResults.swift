import Meals
import Synchronization

@testable import Edge

/// Results without a database, two to a page.
final class FakeResults: MealResults {
    struct Away: Error {}

    private struct State {
        var waiting: [MealResult] = []
        var delivered: [Int64] = []
        var isAway = false
        var isHeld = false
        var reads = 0
    }

    private let state: Mutex<State>

    init(ids: [Int64] = []) {
        var first = State()
        first.waiting = ids.compactMap { MealResult(noticePayload: Self.notice($0)) }
        state = Mutex(first)
    }

    /// What a notice of a result says.
    static func notice(_ id: Int64?, consultation: String? = nil) -> String {
        "\(id.map(String.init) ?? "-") \(consultation ?? "-")\nresult \(id ?? 0)"
    }

    func set(isAway: Bool) { state.withLock { $0.isAway = isAway } }
    /// Reads wait for as long as it is set.
    func set(isHeld: Bool) { state.withLock { $0.isHeld = isHeld } }

    var delivered: [Int64] { state.withLock { $0.delivered } }
    var reads: Int { state.withLock { $0.reads } }

    func page(of user: String, after id: Int64) async throws -> MealResultPage {
        state.withLock { $0.reads += 1 }
        while state.withLock({ $0.isHeld }) { try await Task.sleep(for: .milliseconds(2)) }
        return try state.withLock { state in
            if state.isAway { throw Away() }
            let found = Array(state.waiting.filter { $0.id ?? 0 > id }.prefix(2))
            return MealResultPage(results: found, next: found.count < 2 ? nil : found.last?.id)
        }
    }

    func delivered(_ id: Int64) {
        state.withLock { $0.delivered.append(id) }
    }

    func finish() async {}
}
