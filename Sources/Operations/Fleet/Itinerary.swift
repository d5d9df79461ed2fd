/// How often, in a million batches, a client does something other than the next batch in order.
public struct Habits: Sendable {
    /// Malformed as a whole.
    public var malformedBatches = 0
    /// Sent again later, byte for byte.
    public var resent = 0
    /// With half of the batch before.
    public var overlapping = 0
    /// Sent by two connections at once.
    public var doubled = 0
    /// Behind a later one of their device.
    public var late = 0
    /// Twenty times as long.
    public var backlogs = 0
    /// Some batches have their newest reading first.
    public var goesBackwards = false

    /// None of them but those that are given.
    public init(
        malformedBatches: Int = 0, resent: Int = 0, overlapping: Int = 0, doubled: Int = 0,
        late: Int = 0, backlogs: Int = 0, goesBackwards: Bool = false
    ) {
        self.malformedBatches = malformedBatches
        self.resent = resent
        self.overlapping = overlapping
        self.doubled = doubled
        self.late = late
        self.backlogs = backlogs
        self.goesBackwards = goesBackwards
    }

    /// A backlog's length in batches.
    static let backlogBatches = 20
    /// How many batches later a late or repeated one comes, at most.
    static let delayMax = 200
}

/// Decides which readings go into which request, in the order of sending. Seeded.
public struct Itinerary {
    private let habits: Habits
    private let batch: Int
    private var generator: SeededGenerator
    private var nextSequence: [Int]
    private var device = 0
    /// Windows that go before any new one.
    private var urgent: [BatchWindow] = []
    /// Windows that go once `left` has fallen to their mark.
    private var postponed: [(at: Int, window: BatchWindow)] = []
    private var count = 0
    /// New readings still to be handed out; repeated ones don't count.
    private var readingsLeft: Int

    /// - Parameters:
    ///   - devices: who sends, in turns.
    ///   - batch: readings of one.
    ///   - readings: new ones, all in all.
    ///   - habits: what goes wrong, and how often.
    ///   - seed: of every choice.
    public init(devices: Int, batch: Int, readings: Int, habits: Habits, seed: UInt64) {
        self.habits = habits
        self.batch = batch
        generator = SeededGenerator(seed: seed ^ 0x17E2)
        nextSequence = Array(repeating: 0, count: devices)
        readingsLeft = readings
    }

    /// The next window, or nil when all readings have been handed out and nothing is postponed.
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

    /// The batch behind a late one, of the same device.
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
