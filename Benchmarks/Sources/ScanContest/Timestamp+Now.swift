import Glibc
import Readings

extension Timestamp {
    static var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(unixSeconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
    }
}
