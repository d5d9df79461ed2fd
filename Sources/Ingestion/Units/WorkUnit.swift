/// A record other than a batch of readings that is to be committed: one of its kind's payloads.
public struct WorkUnit: Sendable {
    /// How it is written.
    public let kind: UnitKind
    /// A hash of whose it is: what has one route goes through one lane, in order, and has a share
    /// of what may wait there.
    public let route: UInt64
    /// JSON text without U+0000: all that the kind's statement is told beside when it was received and
    /// whether it is late.
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

    /// FNV-1a over the UTF-8, and MurmurHash3's last step, for the lane is chosen by high bits and
    /// short texts leave those alike.
    static func route(of owner: String) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in owner.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        hash = (hash ^ (hash >> 33)) &* 0xFF51_AFD7_ED55_8CCD
        hash = (hash ^ (hash >> 33)) &* 0xC4CE_B9FE_1A85_EC53
        return hash ^ (hash >> 33)
    }

    /// Bytes that it costs while it waits, with what stands around the payload.
    var memory: Int { payload.utf8.count + 256 }
}
