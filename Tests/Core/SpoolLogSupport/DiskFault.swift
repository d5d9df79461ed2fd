public import SpoolLog

/// What goes wrong at a call of a ``ModelDisk``.
public enum DiskFault: Sendable, Equatable {
    /// The call fails with this `errno`. It has no effect, except that a write may be done in part
    /// and a sync drops the unwritten bytes.
    case fails(errno: Int32)
    /// The machine stops in the middle of the call; any part of its effect may have happened.
    case crashes
}

/// How often calls of a ``ModelDisk`` fail at random, of a thousand.
public struct FaultRates: Sendable {
    /// Failures of a thousand calls, by operation.
    public var perThousand: [DiskError.Operation: Int]
    /// The values of `errno` with which an operation fails.
    public var errno: [DiskError.Operation: [Int32]]

    /// Nothing fails.
    public init() {
        perThousand = [:]
        errno = [:]
    }
}
