import Postgres
import Readings
import Synchronization

/// A record to be committed that is not a batch of readings: a payload of one kind.
public struct WorkUnit: Sendable {
    /// How it is written.
    public let kind: UnitKind
    /// A hash of the owner. Units of one route go through one lane, in order, and have a share of
    /// its queue.
    public let route: UInt64
    /// JSON text without U+0000. Besides it, the kind's statement gets only when it was received
    /// and whether it is late.
    public let payload: String

    /// - Parameter owner: whose units keep their order, such as a user's id.
    public init(kind: UnitKind, owner: String, payload: String) {
        self.init(kind: kind, route: Self.route(of: owner), payload: payload)
    }

    init(kind: UnitKind, route: UInt64, payload: String) {
        self.kind = kind
        self.route = route
        self.payload = payload
    }

    /// FNV-1a over the UTF-8, then MurmurHash3's last step: the lane is chosen by high bits, which
    /// FNV-1a leaves alike for short texts.
    static func route(of owner: String) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in owner.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        hash = (hash ^ (hash >> 33)) &* 0xFF51_AFD7_ED55_8CCD
        hash = (hash ^ (hash >> 33)) &* 0xC4CE_B9FE_1A85_EC53
        return hash ^ (hash >> 33)
    }

    /// Memory that it costs while queued, including overhead.
    var memory: Int { payload.utf8.count + 256 }
}
