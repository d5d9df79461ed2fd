import Channels
@preconcurrency import Dispatch

/// A serial Dispatch queue with a signal and a timer.
final class QueueLoop: WorkLoop {
    private let queue: DispatchQueue
    private let signal: LaneSignal
    private let timer: any DispatchSourceTimer

    init(
        _ label: String, every interval: Duration, wake: @escaping @Sendable () -> Void,
        tick: @escaping @Sendable () -> Void
    ) {
        queue = DispatchQueue(label: label)
        signal = LaneSignal(queue: queue, wake: wake)
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler(handler: DispatchWorkItem(block: tick))
        let milliseconds = max(1, Int(interval / .milliseconds(1)))
        timer.schedule(
            deadline: .now(), repeating: .milliseconds(milliseconds),
            leeway: .milliseconds(milliseconds / 5))
        timer.activate()
    }

    func raise() { signal.raise() }

    func run(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }

    func stop() { timer.cancel() }
}
