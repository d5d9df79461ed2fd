/// How a client deviates from sending its batches once and in order. Rates are per million batches.
public struct Habits: Sendable {
    /// Malformed as a whole.
    public var malformedBatches = 0
    /// Sent again later with the same bytes.
    public var resent = 0
    /// Include the last half of the device's previous batch.
    public var overlapping = 0
    /// Sent twice in a row, for two connections at once.
    public var doubled = 0
    /// Sent after a later batch of their device.
    public var late = 0
    /// Twenty times as long.
    public var backlogs = 0
    /// Some batches have their newest reading first (one in eight).
    public var goesBackwards = false

    /// All rates not given are zero.
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

    /// Length of a backlog in batches.
    static let backlogBatches = 20
    /// Maximum delay of a late or repeated batch, in batches.
    static let delayMax = 200
}

/// Decides which readings go into which request, in sending order. Determined by a seed.
public struct Itinerary {
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
