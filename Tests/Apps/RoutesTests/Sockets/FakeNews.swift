import NIOCore
import Notices
import Synchronization

@testable import HTTP
@testable import HTTPSupport
@testable import NewsSockets

/// News without a database, two on each page.
final class FakeNews: PendingNews {
    struct Away: Error {}

    private struct State {
        var waiting: [News] = []
        var delivered: [Int64] = []
        var isAway = false
        var isHeld = false
        var reads = 0
    }

    let pause = Duration.milliseconds(300)
    private let state: Mutex<State>

    init(ids: [Int64] = [], subjects: [String]? = nil) {
        var first = State()
        first.waiting = ids.enumerated().compactMap { place, id in
            News(noticePayload: Self.notice(id, subject: subjects?[place]))
        }
        state = Mutex(first)
    }

    /// The payload of a notice of news.
    static func notice(_ id: Int64, subject: String? = nil) -> String {
        "\(id) \(subject ?? "-")\nresult \(id)"
    }

    func set(isAway: Bool) { state.withLock { $0.isAway = isAway } }
    /// While it is set, reads wait.
    func set(isHeld: Bool) { state.withLock { $0.isHeld = isHeld } }

    var delivered: [Int64] { state.withLock { $0.delivered } }
    var reads: Int { state.withLock { $0.reads } }

    func page(
        of user: String, topic: String, after id: Int64, on eventLoop: any EventLoop
    ) -> EventLoopFuture<NewsPage> {
        let isHeld = state.withLock { state in
            state.reads += 1
            return state.isHeld
        }
        guard isHeld else { return eventLoop.makeCompletedFuture { try self.page(after: id) } }
        return eventLoop.makeFutureWithTask {
            while self.state.withLock({ $0.isHeld }) {
                try await Task.sleep(for: .milliseconds(2))
            }
            return try self.page(after: id)
        }
    }

    private func page(after id: Int64) throws -> NewsPage {
        try state.withLock { state in
            if state.isAway { throw Away() }
            let found = Array(state.waiting.filter { $0.id > id }.prefix(2))
            return NewsPage(news: found, next: found.count < 2 ? nil : found.last?.id)
        }
    }

    func delivered(_ id: Int64) {
        state.withLock { $0.delivered.append(id) }
    }
}
