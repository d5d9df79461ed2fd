import Instruments
import Postgres

/// Decides when detours are logged.
///
/// A new or changed detour is logged at once, but at most once a minute. The end of a logged detour
/// is logged at once.
package struct IndirectRouteNews {
    package enum Event: Equatable {
        /// - Parameter times: how often a detour began or changed since the last time.
        case began(IndirectRoute, times: Int)
        case ended
    }

    private var last: IndirectRoute?
    private var logged: IndirectRoute?
    private var loggedAt: ContinuousClock.Instant?
    private var times = 0

    package init() {}

    /// - Parameter detour: the current one; called a few times a second.
    package mutating func news(_ detour: IndirectRoute?, now: ContinuousClock.Instant) -> Event? {
        if detour != nil, detour != last { times += 1 }
        last = detour
        guard detour != logged else { return nil }
        guard let detour else {
            logged = nil
            return .ended
        }
        if let loggedAt, now - loggedAt < Reminder.interval { return nil }
        defer { times = 0 }
        (logged, loggedAt) = (detour, now)
        return .began(detour, times: times)
    }
}
