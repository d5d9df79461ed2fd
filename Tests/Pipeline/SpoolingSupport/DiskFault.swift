public import Spooling

/// What goes wrong at a call of a ``ModelDisk``.
public enum DiskFault: Sendable, Equatable {
    /// The call fails with this `errno` and does nothing, or a part if it is a write; a sync that
    /// fails forgets what was to be written.
    case fails(errno: Int32)
    /// The machine stops in the middle of the call: it may have had any part of its effect.
    case crashes
}

/// How often calls of a ``ModelDisk`` fail by chance, of a thousand.
public struct FaultRates: Sendable {
    /// By operation.
    public var perThousand: [DiskError.Operation: Int]
    /// Which `errno` an operation fails with.
    public var errno: [DiskError.Operation: [Int32]]

    /// Nothing fails.
    public init() {
        perThousand = [:]
        errno = [:]
    }
}
