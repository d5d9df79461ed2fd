import Synchronization

/// Limits the number of requests a minute and a day, and so their cost.
///
/// The counts are in memory, for one process. Every request counts, whether it succeeds or fails. A
/// minute is any 60 seconds. The first day begins with the process; each later one begins with the
/// first request after the day before has ended.
final class GeminiBudget: Sendable {
    private struct State {
        var recent: [ContinuousClock.Instant] = []
        var dayStart: ContinuousClock.Instant
        var dayCount = 0
    }

    private static let minute: Duration = .seconds(60)
    private static let day: Duration = .seconds(86_400)

    private let perMinuteMax: Int
    private let perDayMax: Int
    private let state: Mutex<State>

    init(perMinuteMax: Int, perDayMax: Int, now: ContinuousClock.Instant = .now) {
        precondition(perMinuteMax >= 0 && perDayMax >= 0, "BUG: a negative budget")
        self.perMinuteMax = perMinuteMax
        self.perDayMax = perDayMax
        state = Mutex(State(dayStart: now))
    }

    /// Takes one request from the budget.
    ///
    /// - Returns: nil if the request is within the budget; otherwise the time until the budget
    ///   allows one.
    func take(now: ContinuousClock.Instant = .now) -> Duration? {
        state.withLock { state in
            if now - state.dayStart >= Self.day {
                state.dayStart = now
                state.dayCount = 0
            }
            guard state.dayCount < perDayMax else { return Self.day - (now - state.dayStart) }
            state.recent.removeAll { now - $0 >= Self.minute }
            guard state.recent.count < perMinuteMax else {
                return Self.minute - (state.recent.first.map { now - $0 } ?? .zero)
            }
            state.recent.append(now)
            state.dayCount += 1
            return nil
        }
    }
}
