import Status
import Synchronization
import TestSupport

/// A feed whose reports the test makes.
final class FakeFeed: StatusFeed {
    private struct State {
        var streams: [Int: AsyncStream<String>.Continuation] = [:]
        var made = 0
    }

    private let state = Mutex(State())
    private let past = Mutex<String?>(nil)

    func history() -> String? { past.withLock { $0 } }

    func remember(_ history: String) { past.withLock { $0 = history } }

    func reports() -> AsyncStream<String> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: String.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.made += 1
            state.streams[state.made] = continuation
            return state.made
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.streams.removeValue(forKey: number) }
        }
        return stream
    }

    var watcherCount: Int { state.withLock { $0.streams.count } }

    func publish(_ report: String) {
        for stream in state.withLock({ Array($0.streams.values) }) { stream.yield(report) }
    }

    /// The server notices that a watcher has gone when it sends something, so it publishes while
    /// there are too many.
    func waitForWatchers(_ count: Int) async throws {
        let isSo = try await eventually {
            if watcherCount > count { publish("null") }
            return watcherCount == count
        }
        guard isSo else { throw Stuck(watchers: watcherCount) }
    }

    struct Stuck: Error { let watchers: Int }
}
