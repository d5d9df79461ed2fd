import Glibc
import Synchronization

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

/// A device whose batch took long to be acknowledged.
public struct SlowDevice: Codable, Equatable, Sendable {
    /// As it is stored: lower-cased, up to 128 characters, any of them.
    public var deviceID: String
    /// From the head of its request to its answer.
    public var seconds: Double
    /// When it was answered, in UTC.
    public var at: String

    private enum CodingKeys: String, CodingKey {
        case deviceID = "deviceId"
        case seconds
        case at
    }

    /// One line of a report.
    public init(deviceID: String, seconds: Double, at: String) {
        self.deviceID = deviceID
        self.seconds = seconds
        self.at = at
    }
}

/// Where event loops put their ``SlowestDevices`` for whoever makes a report.
public final class SlowestBoard: Sendable {
    private let byLoop = Mutex<[Int: [SlowestDevices.Entry]]>([:])

    /// An empty one.
    public init() {}

    /// Replaces what a loop has put up; some times a second at most.
    public func put(_ entries: [SlowestDevices.Entry], of loop: Int) {
        byLoop.withLock { $0[loop] = entries }
    }

    /// The slowest of all loops, slowest first, each device once.
    public var slowest: [SlowestDevices.Entry] {
        let all = byLoop.withLock { Array($0.values.joined()) }
        var worst: [String: SlowestDevices.Entry] = [:]
        for entry in all where entry.nanoseconds > worst[entry.deviceID]?.nanoseconds ?? -1 {
            worst[entry.deviceID] = entry
        }
        let sorted = worst.values.sorted {
            ($0.nanoseconds, $1.deviceID) > ($1.nanoseconds, $0.deviceID)
        }
        return Array(sorted.prefix(SlowestDevices.countMax))
    }
}

/// How long the calling thread has run on a core. Used on one thread only.
public struct ThreadTime: Sendable {
    private var last = 0

    /// Nothing is counted yet.
    public init() {}

    /// - Returns: nanoseconds since the last call; since the thread's start at the first.
    public mutating func advance() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        let now = Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
        defer { last = now }
        return max(0, now - last)
    }
}
