/// Decides which readings go into which request, in sending order. Determined by a seed.
public struct WorkloadPlan {
    private let habits: Habits
    private let batch: Int
    private var generator: SeededGenerator
    private var nextSequence: [Int]
    private var device = 0
    /// Windows to send before any new one.
    private var urgent: [BatchWindow] = []
    /// Windows to send once `count` has reached `at`, or when no new readings are left.
    private var postponed: [(at: Int, window: BatchWindow)] = []
    private var count = 0
    /// New readings not handed out yet; repeated readings don't count.
    private var readingsLeft: Int

    /// - Parameters:
    ///   - devices: number of devices, which send in turn.
    ///   - batch: readings per batch.
    ///   - readings: total number of new readings.
    ///   - habits: the deviations and their rates.
    ///   - seed: determines every choice.
    public init(devices: Int, batch: Int, readings: Int, habits: Habits, seed: UInt64) {
        self.habits = habits
        self.batch = batch
        generator = SeededGenerator(seed: seed ^ 0x17E2)
        nextSequence = Array(repeating: 0, count: devices)
        readingsLeft = readings
    }

    /// The next window; nil once all readings are handed out and nothing is postponed.
    public mutating func next() -> BatchWindow? {
        count += 1
        if let window = urgent.popLast() { return window }
        if let index = postponed.firstIndex(where: { $0.at <= count || readingsLeft <= 0 }) {
            let window = postponed[index].window
            postponed.remove(at: index)
            return window
        }
        guard readingsLeft > 0 else { return nil }
        return fresh()
    }

    private mutating func fresh() -> BatchWindow {
        device = (device + 1) % nextSequence.count
        let first = nextSequence[device]
        var length = min(batch, readingsLeft)
        if generator.chance(perMillion: habits.backlogs) {
            length = min(batch * Habits.backlogBatches, readingsLeft)
        }
        var window = BatchWindow(device: device, range: first..<first + length)
        nextSequence[device] = first + length
        readingsLeft -= length
        if generator.chance(perMillion: habits.malformedBatches) {
            let faults = BatchFault.allCases
            window.fault = faults[Int(generator.next() % UInt64(faults.count))]
            return window
        }
        if habits.goesBackwards { window.isBackwards = generator.next() & 7 == 0 }
        if generator.chance(perMillion: habits.overlapping) {
            window.range = max(0, first - batch / 2)..<window.range.upperBound
        }
        if generator.chance(perMillion: habits.doubled) { urgent.append(window) }
        if generator.chance(perMillion: habits.resent) { postpone(window) }
        if generator.chance(perMillion: habits.late) {
            postpone(window)
            return fresh(after: window) ?? window
        }
        return window
    }

    /// The batch that follows a late one of the same device.
    private mutating func fresh(after late: BatchWindow) -> BatchWindow? {
        guard readingsLeft > 0 else { return nil }
        let first = nextSequence[late.device]
        let length = min(batch, readingsLeft)
        nextSequence[late.device] = first + length
        readingsLeft -= length
        return BatchWindow(device: late.device, range: first..<first + length)
    }

    private mutating func postpone(_ window: BatchWindow) {
        let delay = 1 + Int(generator.next() % UInt64(Habits.delayMax))
        postponed.append((count + delay, window))
    }
}
