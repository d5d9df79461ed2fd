/// Device batches and units that were taken from a queue; each sort keeps its order.
struct PendingGroup: Sendable {
    var deviceBatches: [Pending<ReceivedDeviceBatch>] = []
    var units: [Pending<ReceivedUnit>] = []

    init(
        deviceBatches: [Pending<ReceivedDeviceBatch>] = [], units: [Pending<ReceivedUnit>] = []
    ) {
        self.deviceBatches = deviceBatches
        self.units = units
    }

    /// Empties `items`.
    init(taking items: inout [Item]) {
        deviceBatches.reserveCapacity(items.count)
        for item in items { append(item) }
        items.removeAll(keepingCapacity: true)
    }

    mutating func append(_ item: Item) {
        switch item {
        case .deviceBatch(let pending): deviceBatches.append(pending)
        case .unit(let pending): units.append(pending)
        }
    }

    var count: Int { deviceBatches.count + units.count }
    var isEmpty: Bool { deviceBatches.isEmpty && units.isEmpty }

    /// Memory it holds while it waits.
    var memory: Int {
        deviceBatches.reduce(0) { $0 + $1.payload.memory }
            + units.reduce(0) { $0 + $1.payload.memory }
    }

    /// The number of readings, including quarantined ones, and of units.
    var readingsAndUnits: Int { deviceBatches.reduce(units.count) { $0 + $1.payload.count } }

    /// What of it comes from the spool, or the rest.
    func replayed(_ isReplayed: Bool) -> PendingGroup {
        PendingGroup(
            deviceBatches: deviceBatches.filter { $0.payload.isReplayed == isReplayed },
            units: units.filter { $0.payload.isReplayed == isReplayed })
    }

    var firstSender: Sender? {
        deviceBatches.first?.payload.sender ?? units.first?.payload.sender
    }

    static func += (sum: inout PendingGroup, other: PendingGroup) {
        sum.deviceBatches += other.deviceBatches
        sum.units += other.units
    }
}

extension PendingGroup {
    /// An element of a queue, which has batches and units in the order of their offers.
    enum Item: Sendable {
        case deviceBatch(Pending<ReceivedDeviceBatch>)
        case unit(Pending<ReceivedUnit>)

        var offeredAt: ContinuousClock.Instant {
            switch self {
            case .deviceBatch(let pending): pending.offeredAt
            case .unit(let pending): pending.offeredAt
            }
        }

        /// Memory it holds while it waits.
        var memory: Int {
            switch self {
            case .deviceBatch(let pending): pending.payload.memory
            case .unit(let pending): pending.payload.memory
            }
        }

        /// The device or owner whose share of the lane it uses, as a hash.
        var flow: UInt64 {
            switch self {
            case .deviceBatch(let pending): pending.payload.sender.flow
            case .unit(let pending): pending.payload.sender.flow
            }
        }

        /// Whether the spool takes it if the database does not.
        var mayWaitInSpool: Bool {
            switch self {
            case .deviceBatch(let pending): pending.mayWaitInSpool
            case .unit(let pending): pending.mayWaitInSpool
            }
        }
    }
}
