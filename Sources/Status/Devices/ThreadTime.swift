#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// How long the calling thread has run on a core. Used on one thread only.
public struct ThreadTime: Sendable {
    private var last = 0

    /// Nothing is counted yet.
    public init() {}

    /// - Returns: nanoseconds since the last call; since the thread's start at the first.
    public mutating func advance() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        let now = Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
        defer { last = now }
        return max(0, now - last)
    }
}
