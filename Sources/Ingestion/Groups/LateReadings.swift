import Readings

/// What a group stores late of one device: readings older than the newest of their kind that was
/// stored before their batch, or came in a batch before it.
package struct LateReadings {
    package let deviceKey: Int64
    package private(set) var count: Int64 = 0
    /// By kind, microseconds: how much older at most.
    package private(set) var byMax: InlineArray<3, Int64> = [0, 0, 0]

    init(deviceKey: Int64) {
        self.deviceKey = deviceKey
    }

    mutating func add(_ kind: ReadingKind, by microseconds: Int64) {
        count += 1
        byMax[Int(kind.rawValue)] = max(byMax[Int(kind.rawValue)], microseconds)
    }
}
