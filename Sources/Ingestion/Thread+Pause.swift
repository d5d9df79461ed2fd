import Glibc

/// Sleeping on a lane's own thread.
enum Thread {
    /// Blocks this thread; signals may end it early, which does no harm here.
    static func pause(for duration: Duration) {
        var time = timespec()
        time.tv_sec = Int(duration.components.seconds)
        time.tv_nsec = Int(duration.components.attoseconds / 1_000_000_000)
        nanosleep(&time, nil)
    }
}
