/// The devices with the longest latencies of the last one or two windows of time, as one event loop
/// sees them.
///
/// For the hot path: a batch that is quicker than all in the list costs one comparison. The list
/// has a fixed size, and an id is copied only into it.
public struct SlowestDevices: Sendable {
    /// What is kept of one batch.
    public struct Entry: Equatable, Sendable {
        /// Whose batch it was.
        public let deviceID: String
        /// From the head of its request to its answer.
        public let nanoseconds: Int64
        /// When it was answered.
        public let unixSeconds: Int64
    }

    /// Devices of one window.
    public static let countMax = 10
    /// How long a window lasts; a report shows the one that runs and the one before.
    public static let windowSeconds: Int64 = 10

    private var current: [Entry] = []
    private var previous: [Entry] = []
    /// nil before the first turn.
    private var windowBegan: Int64?
    /// What a batch must take longer than to get into the list.
    private var floor: Int64 = -1

    /// An empty list.
    public init() {
        current.reserveCapacity(Self.countMax)
    }

    /// Looks at one batch; most are not slow.
    ///
    /// - Complexity: one comparison, or O(``countMax``) for a batch that gets in.
    public mutating func note(_ deviceID: String, nanoseconds: Int64, unixSeconds: Int64) {
        guard nanoseconds > floor else { return }
        let entry = Entry(
            deviceID: deviceID, nanoseconds: nanoseconds, unixSeconds: unixSeconds)
        if let place = current.firstIndex(where: { $0.deviceID == deviceID }) {
            if current[place].nanoseconds < nanoseconds { current[place] = entry }
        } else if current.count < Self.countMax {
            current.append(entry)
        } else if let place = current.indices.min(by: {
            current[$0].nanoseconds < current[$1].nanoseconds
        }) {
            current[place] = entry
        }
        if current.count == Self.countMax {
            floor = current.reduce(.max) { min($0, $1.nanoseconds) }
        }
    }

    /// Begins a new window when the old one is over. To be called some times a second.
    ///
    /// - Returns: whether ``entries`` may have changed.
    public mutating func turn(unixSeconds: Int64) -> Bool {
        let began = windowBegan ?? unixSeconds
        windowBegan = began
        if unixSeconds >= began && unixSeconds < began + Self.windowSeconds {
            return !current.isEmpty
        }
        // One that lies back further than a window is no longer of interest.
        let isNext = unixSeconds < began + 2 * Self.windowSeconds
        let hadAny = !current.isEmpty || !previous.isEmpty
        previous = isNext ? current : []
        current.removeAll(keepingCapacity: true)
        floor = -1
        windowBegan = unixSeconds
        return hadAny
    }

    /// Both windows, in no order; a device may be in both.
    public var entries: [Entry] { current + previous }
}
