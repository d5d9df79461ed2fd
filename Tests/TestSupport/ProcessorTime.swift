import Glibc

/// What this thread has had of a processor: for bounds that hold whatever else runs.
public enum ProcessorTime {
    /// Since the thread began.
    public static var now: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// What the body takes; on this thread alone.
    public static func measure(_ body: () throws -> Void) rethrows -> Duration {
        let start = now
        try body()
        return now - start
    }
}
