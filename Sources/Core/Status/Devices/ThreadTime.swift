import Glibc
import Synchronization

/// Measures the CPU time of the calling thread. Use it on one thread only.
public struct ThreadTime: Sendable {
    private var last = 0

    /// Starts at the start of the thread.
    public init() {}

    /// - Returns: CPU time in nanoseconds since the previous call; at the first call, since the
    ///   thread's start.
    public mutating func advance() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        let now = Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
        defer { last = now }
        return max(0, now - last)
    }
}
