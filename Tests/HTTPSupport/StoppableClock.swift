import Dispatch
import Readings
import Synchronization

/// Shows the rig's time. While it is stopped it blocks every reader, and so every event loop of a
/// server, as if the machine had no time for them.
final class StoppableClock: Sendable {
    private let gate = DispatchSemaphore(value: 1)
    private let asking = Atomic(0)

    /// The number of loops that are blocked while it is stopped.
    var standingCount: Int { asking.load(ordering: .relaxed) }

    func now() -> Timestamp {
        asking.add(1, ordering: .relaxed)
        defer { asking.subtract(1, ordering: .relaxed) }
        gate.wait()
        gate.signal()
        return ConnectionRig.now
    }

    func stop() {
        gate.wait()
    }

    func start() {
        gate.signal()
    }
}
