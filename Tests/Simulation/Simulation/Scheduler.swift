import SpoolLogSupport

/// Runs fibers one at a time, in an order chosen by the dice, with a clock of its own.
///
/// A fiber is a thread that waits for the baton. Only the fiber that holds the baton may touch the
/// simulation. The baton is passed at ``step()``, ``spend(_:)`` and ``wait(until:)``, and nowhere
/// else. Time stands still while any fiber can run; otherwise it jumps to the earliest time for
/// which a fiber waits.
final class Scheduler: @unchecked Sendable {
    // Guard of `@unchecked`: only the thread with the baton touches it.

    var dice: Dice
    var trace: Trace
    /// Nanoseconds since the run began.
    private(set) var now: Int64 = 0
    private(set) var current: Fiber
    /// The number of points at which the baton could be passed.
    private(set) var steps = 0
    /// Why the run can't go on: no fiber will ever wake, or the run has too many steps. nil while
    /// it can.
    private(set) var stuck: String?

    /// Steps of a thousand at which other fibers run first.
    var switchRate = 500

    private let threads: FiberThreads
    private let root: Fiber
    private var fibers: [Fiber] = []
    private var ready: [Fiber] = []
    private var nextNumber = 1
    private static let stepsMax = 3_000_000

    init(dice: Dice, trace: Trace, threads: FiberThreads) {
        self.dice = dice
        self.trace = trace
        self.threads = threads
        root = Fiber(number: 0, name: "root", life: nil, thread: FiberThread(adoptingCaller: ()))
        root.state = .running
        current = root
    }

    // MARK: Fibers

    /// Makes a fiber that runs `body` once it is chosen.
    ///
    /// - Parameter life: once it is dead, the fiber never waits again.
    @discardableResult
    func spawn(_ name: String, life: Life? = nil, _ body: @escaping () -> Void) -> Fiber {
        let thread = threads.take()
        let fiber = Fiber(number: nextNumber, name: name, life: life, thread: thread)
        nextNumber += 1
        fibers.append(fiber)
        ready.append(fiber)
        thread.work = { [unowned self] in
            body()
            self.end(fiber)
        }
        return fiber
    }

    /// Returns when all fibers have ended. Only the thread that made the scheduler may call it.
    func run() {
        precondition(current === root, "BUG: run from a fiber")
        guard let next = next() else { return }
        root.state = .waiting(until: nil)
        handOver(to: next)
        root.thread.waitForBaton()
        current = root
    }

    private func end(_ fiber: Fiber) {
        fiber.state = .ended
        fiber.life = nil
        fibers.removeAll { $0 === fiber }
        threads.giveBack(fiber.thread)
        handOver(to: next() ?? root)
    }

    // MARK: Where the baton goes over

    /// A point at which other fibers may run first; takes no time.
    func step() {
        steps += 1
        precondition(steps < 2 * Self.stepsMax, "BUG: a dead process goes on for ever")
        if current.life?.isDead == true { return }
        if steps > Self.stepsMax { return giveUp("more than \(Self.stepsMax) steps") }
        guard !ready.isEmpty, dice.happens(perThousand: switchRate) else { return }
        current.state = .ready
        ready.append(current)
        switchAway()
    }

    /// Lets time pass.
    func spend(_ nanoseconds: Int64) {
        guard nanoseconds > 0 else { return step() }
        let end = now + nanoseconds
        while now < end, !isOver, current.life?.isDead != true { wait(until: end) }
    }

    /// Waits until another fiber wakes it or the time has come. It may also return earlier.
    func wait(until: Int64?) {
        steps += 1
        if current.life?.isDead == true || isOver { return }
        if steps > Self.stepsMax { return giveUp("more than \(Self.stepsMax) steps") }
        if let until, until <= now { return step() }
        current.state = .waiting(until: until)
        switchAway()
    }

    func wake(_ fiber: Fiber) {
        guard case .waiting = fiber.state, fiber !== root else { return }
        fiber.state = .ready
        ready.append(fiber)
    }

    /// Nothing waits any more; the run must end.
    var isOver: Bool { stuck != nil }

    func wakeAll() {
        for fiber in fibers { wake(fiber) }
    }

    /// Ends all waiting for good.
    func giveUp(_ reason: String) {
        stuck = stuck ?? reason
        wakeAll()
    }

    private func switchAway() {
        let me = current
        guard let next = next() else { preconditionFailure("BUG: nobody is left") }
        if next === me {
            me.state = .running
            return
        }
        handOver(to: next)
        me.thread.waitForBaton()
    }

    private func handOver(to fiber: Fiber) {
        current = fiber
        fiber.state = .running
        fiber.thread.passBaton()
    }

    /// Takes the next fiber to run from those that are ready. If none is ready, lets time pass.
    private func next() -> Fiber? {
        while ready.isEmpty {
            if fibers.isEmpty { return nil }
            var earliest: Int64?
            for fiber in fibers {
                if case .waiting(let until?) = fiber.state {
                    earliest = min(earliest ?? until, until)
                }
            }
            guard let earliest else {
                giveUp("all wait: \(fibers.map(\.name).joined(separator: ", "))")
                continue
            }
            now = max(now, earliest)
            for fiber in fibers {
                if case .waiting(let until?) = fiber.state, until <= now { wake(fiber) }
            }
        }
        let fiber = ready.remove(at: dice.below(ready.count))
        trace.note(fiber.number, now)
        return fiber
    }
}
