import Glibc
import Synchronization

/// The devices with the longest latencies in the current and the previous window of time, on one
/// event loop.
///
/// For the hot path: a batch that is faster than all in the list costs one comparison. The list has
/// a fixed size, and an id is copied only when its batch enters the list.
public struct SlowestDevices: Sendable {
    /// What is recorded about a batch.
    public struct Entry: Equatable, Sendable {
        /// The device that sent the batch.
        public let deviceID: String
        /// Time from the head of the request to its answer.
        public let nanoseconds: Int64
        /// Time of the answer.
        public let unixSeconds: Int64
    }

    /// Maximum number of devices in a window.
    public static let countMax = 10
    /// Length of a window; a report shows the current and the previous one.
    public static let windowSeconds: Int64 = 10

    private var current: [Entry] = []
    private var previous: [Entry] = []
    /// nil before the first ``turn(unixSeconds:)``.
    private var windowBegan: Int64?
    /// A batch must take longer than this to enter the list.
    private var floor: Int64 = -1

    /// An empty list.
    public init() {
        current.reserveCapacity(Self.countMax)
    }

    /// Records a batch if it is slow enough; most are not.
    ///
    /// - Complexity: one comparison, or O(``countMax``) for a batch that enters the list.
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

    /// Begins a new window if the current one is over. Call it a few times a second.
    ///
    /// - Returns: whether ``entries`` may have changed.
    public mutating func turn(unixSeconds: Int64) -> Bool {
        let began = windowBegan ?? unixSeconds
        windowBegan = began
        if unixSeconds >= began && unixSeconds < began + Self.windowSeconds {
            return !current.isEmpty
        }
        // A window that ended longer than a window ago is dropped.
        let isNext = unixSeconds < began + 2 * Self.windowSeconds
        let hadAny = !current.isEmpty || !previous.isEmpty
        previous = isNext ? current : []
        current.removeAll(keepingCapacity: true)
        floor = -1
        windowBegan = unixSeconds
        return hadAny
    }

    /// The entries of both windows, unordered; a device may be in both.
    public var entries: [Entry] { current + previous }
}
