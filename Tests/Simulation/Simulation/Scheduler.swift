import SpoolingSupport

/// Runs fibers one at a time, in an order that the dice choose, in a time that it makes itself.
///
/// A fiber is a thread that waits for the baton; whoever holds it is the only one to touch
/// anything of the simulation. It goes over at ``step()``, ``spend(_:)`` and ``wait(until:)``, and
/// nowhere else. Time stands still as long as anyone can go on; then it jumps to whoever sleeps
/// the shortest.
final class Scheduler: @unchecked Sendable {
    // Guard of `@unchecked`: only the thread with the baton touches it.

    var dice: Dice
    var trace: Trace
    /// Nanoseconds since the run began.
    private(set) var now: Int64 = 0
    private(set) var current: Fiber
    /// Times that the baton could have gone over.
    private(set) var steps = 0
    /// Why the run can't go on, if it can't: nobody will ever wake, or it never ends.
    private(set) var stuck: String?

    /// How often of a thousand a step lets others go first.
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

    /// Makes a fiber that will run `body` once it is chosen.
    ///
    /// - Parameter life: when that is dead, the fiber is never made to wait any more.
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

    /// From the thread that made the scheduler: returns when all fibers have ended.
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

    /// A point at which others may go first; takes no time.
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

    /// Waits to be woken, or for a moment; may return for neither reason.
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

    /// Nothing waits any more: the run is to come to its end.
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

    /// Takes the next one to run out of those that can; lets time pass if nobody can.
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
