import Dispatch
import Readings

/// Shows the rig's time, and holds up whoever asks while it stands: with it every event loop of a
/// server stands, as if the machine had no time for it.
final class StoppableClock: Sendable {
    private let gate = DispatchSemaphore(value: 1)

    func now() -> Timestamp {
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
