import Foundation
import Readings

extension Timestamp {
    /// The system's clock, now.
    static func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(unixSeconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
    }
}
