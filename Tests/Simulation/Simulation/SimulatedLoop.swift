import Ingest
import SpoolLogSupport

/// A fiber that runs the work of one loop, one item at a time.
final class SimulatedLoop: WorkLoop, @unchecked Sendable {
    // Guard of `@unchecked`: the baton.

    unowned(unsafe) private let run: Run
    unowned(unsafe) private let life: Life
    private let interval: Int64
    private let wakes: () -> Void
    private let ticks: () -> Void
    private var fiber: Fiber?
    private var works: [@Sendable () -> Void] = []
    private var isRaised = false
    private var isStopped = false
    /// nil until it is started.
    private var nextTick: Int64?

    init(
        _ run: Run, _ life: Life, _ label: String, every interval: Int64,
        wake: @escaping () -> Void, tick: @escaping () -> Void
    ) {
        self.run = run
        self.life = life
        self.interval = interval
        wakes = wake
        ticks = tick
        fiber = run.scheduler.spawn(label, life: life) { [unowned self] in self.loop() }
        life.loops.append(self)
    }

    /// Its owner may be held up here, until what the first ticks began has been answered.
    func start() {
        nextTick = run.scheduler.now
        wakeFiber()
        if run.scheduler.dice.below(4) == 0 {
            run.scheduler.spend(Int64(run.scheduler.dice.below(Int(4 * interval))))
        }
    }

    func raise() {
        isRaised = true
        wakeFiber()
    }

    func run(_ work: @escaping @Sendable () -> Void) {
        guard !life.isDead else { return }
        if run.sabotages(.dropsWork, once: 40) { return }
        works.append(work)
        wakeFiber()
    }

    func stop() { isStopped = true }

    private func wakeFiber() {
        if let fiber { run.scheduler.wake(fiber) }
        life.step()
    }

    private func loop() {
        while !life.isDead, !run.scheduler.isOver {
            let isTickDue = !isStopped && nextTick.map { run.scheduler.now >= $0 } == true
            let isWakeDue = !isStopped && isRaised
            var choices: [() -> Void] = []
            if !works.isEmpty { choices.append { self.works.removeFirst()() } }
            if isWakeDue {
                choices.append {
                    self.isRaised = false
                    self.wakes()
                }
            }
            if isTickDue {
                choices.append {
                    self.nextTick = self.run.scheduler.now + self.interval
                    self.ticks()
                }
            }
            if choices.isEmpty {
                run.scheduler.wait(until: isStopped ? nil : nextTick)
            } else {
                choices[run.scheduler.dice.below(choices.count)]()
            }
        }
        works.removeAll()
    }
}
