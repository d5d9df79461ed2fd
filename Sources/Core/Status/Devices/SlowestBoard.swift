import Glibc
import Synchronization

/// Collects the ``SlowestDevices`` of all event loops for reports.
public final class SlowestBoard: Sendable {
    private let byLoop = Mutex<[Int: [SlowestDevices.Entry]]>([:])

    /// An empty board.
    public init() {}

    /// Replaces the entries of one event loop; called a few times a second at most.
    public func put(_ entries: [SlowestDevices.Entry], of loop: Int) {
        byLoop.withLock { $0[loop] = entries }
    }

    /// The slowest devices of all loops, slowest first, each device once.
    public var slowest: [SlowestDevices.Entry] {
        let all = byLoop.withLock { Array($0.values.joined()) }
        var worst: [String: SlowestDevices.Entry] = [:]
        for entry in all where entry.nanoseconds > worst[entry.deviceID]?.nanoseconds ?? -1 {
            worst[entry.deviceID] = entry
        }
        let sorted = worst.values.sorted {
            ($0.nanoseconds, $1.deviceID) > ($1.nanoseconds, $0.deviceID)
        }
        return Array(sorted.prefix(SlowestDevices.countMax))
    }
}
