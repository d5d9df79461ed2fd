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
