import Files
import Glibc
import NIOPosix
import Synchronization

/// The free space of a file system, read at most once a second.
public final class FreeSpace: Sendable {
    private struct Look {
        let bytes: Int?
        let at: ContinuousClock.Instant
    }

    private static let lookInterval = Duration.seconds(1)

    private let read: @Sendable () -> Int?
    private let last = Mutex<Look?>(nil)

    /// - Parameter path: any directory on the file system.
    public convenience init(path: String) {
        self.init {
            var status = statvfs()
            guard statvfs(path, &status) == 0 else { return nil }
            return Int(status.f_bavail) * Int(status.f_frsize)
        }
    }

    /// For tests.
    public init(_ read: @escaping @Sendable () -> Int?) { self.read = read }

    /// Bytes that an unprivileged process may write; nil when unknown.
    public var bytes: Int? {
        let now = ContinuousClock.now
        return last.withLock { last in
            if let last, now - last.at < Self.lookInterval { return last.bytes }
            let look = Look(bytes: read(), at: now)
            last = look
            return look.bytes
        }
    }
}
