import Glibc

/// Sleeping on a lane's own thread.
enum Thread {
    /// Blocks this thread; signals may end it early, which does no harm here.
    static func pause(for duration: Duration) {
        usleep(UInt32(max(0, duration / .microseconds(1))))
    }
}
