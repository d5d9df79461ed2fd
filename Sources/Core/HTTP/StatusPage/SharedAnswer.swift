import Synchronization

/// An answer of the database for all who look: asked for at most every ``freshFor``, once at a time,
/// and only while somebody looks.
final class SharedAnswer: Sendable {
    static let freshFor = Duration.seconds(4)

    private struct State {
        var newest: (json: String, at: ContinuousClock.Instant)?
        var underWay: Task<String, any Error>?
    }

    private let question: @Sendable () async throws -> String
    private let state = Mutex(State())

    init(_ question: @escaping @Sendable () async throws -> String) {
        self.question = question
    }

    /// The answer, at most ``freshFor`` old.
    func json() async throws -> String {
        let now = ContinuousClock.now
        let task: Task<String, any Error> = state.withLock { state in
            if let newest = state.newest, now - newest.at < Self.freshFor {
                return Task { newest.json }
            }
            if let underWay = state.underWay { return underWay }
            let task = Task { try await self.ask() }
            state.underWay = task
            return task
        }
        return try await task.value
    }

    private func ask() async throws -> String {
        let answer: Result<String, any Error>
        do {
            answer = .success(try await question())
        } catch {
            answer = .failure(error)
        }
        return try state.withLock { state in
            state.underWay = nil
            let json = try answer.get()
            state.newest = (json, .now)
            return json
        }
    }
}
