@preconcurrency import Dispatch
import Channels
import Glibc
import Postgres
import Readings

/// A serial Dispatch queue with a signal and a timer.
final class QueueLoop: WorkLoop {
    private let queue: DispatchQueue
    private let signal: LaneSignal
    private let timer: any DispatchSourceTimer
    private let interval: Duration

    init(
        _ label: String, every interval: Duration, wake: @escaping @Sendable () -> Void,
        tick: @escaping @Sendable () -> Void
    ) {
        self.interval = interval
        queue = DispatchQueue(label: label)
        signal = LaneSignal(queue: queue, wake: wake)
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler(handler: DispatchWorkItem(block: tick))
        // A source must not be released before it was activated.
        timer.schedule(deadline: .distantFuture)
        timer.activate()
    }

    func start() {
        let milliseconds = max(1, Int(interval / .milliseconds(1)))
        timer.schedule(
            deadline: .now(), repeating: .milliseconds(milliseconds),
            leeway: .milliseconds(milliseconds / 5))
    }

    func raise() { signal.raise() }

    func run(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }

    func stop() { timer.cancel() }
}
