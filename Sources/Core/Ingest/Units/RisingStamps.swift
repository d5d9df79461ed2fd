import Postgres
import Readings
import Synchronization

/// Times of one process that rise strictly, also while its wall clock goes back or stands still.
///
/// May be called from any thread.
final class RisingStamps: Sendable {
    private let last = Atomic(Int64.min)

    /// - Parameter wallClock: now, microseconds since 2000.
    /// - Returns: that, or a microsecond after the last one if that is later.
    func next(_ wallClock: Timestamp) -> Timestamp {
        var known = last.load(ordering: .relaxed)
        while true {
            let stamp =
                known == .min ? wallClock.microseconds : max(wallClock.microseconds, known + 1)
            let (isOurs, newer) = last.weakCompareExchange(
                expected: known, desired: stamp, ordering: .relaxed)
            if isOurs { return Timestamp(microseconds: stamp) }
            known = newer
        }
    }
}
