import Dispatch
import Readings
import Synchronization

/// Shows the rig's time, and holds up whoever asks while it stands: with it every event loop of a
/// server stands, as if the machine had no time for it.
final class StoppableClock: Sendable {
    private let gate = DispatchSemaphore(value: 1)
    private let asking = Atomic(0)

    /// While it stands: how many loops do.
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
