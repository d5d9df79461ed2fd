package import Postgres
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

/// A kind of record that lanes write besides readings, such as a capture.
///
/// Its statement runs inside of the group's transaction, once for each kind and group:
/// - `$1` is a `text[]` of payloads. Payloads of one owner are in the order of their offers; owners
///   are in the same order for all writers. One array may repeat a payload, or hold two of the same
///   thing.
/// - It returns a row `(place int4, result text)` for each payload: its place in the array, from 1,
///   and the answer to its sender.
/// - It is idempotent: it may be called again for what it has written already, after an answer that
///   was lost, and from the spool.
/// - `$2` is a `timestamptz[]`: when this node received each payload. Such stamps rise strictly within
///   a process, also when the clock goes back.
/// - `$3` is a `boolean[]`: whether a payload is late. It is late if it comes from the spool, or if
///   its COMMIT was sent before and not answered: a newer version of the same thing may have been
///   acknowledged since. All others are live.
/// - **The version that was acknowledged last stays.** So a live payload replaces whatever is
///   stored, regardless of stamps: a client that sends versions one after the other waits for the
///   answer to the stored one. A late payload replaces only what has an older stamp. The stored
///   stamp becomes the greater of the two, even if the content is equal.
/// - This is exact between payloads of one process. A late payload is compared with those of other
///   nodes, and of the same node before a restart, by wall clocks: if the clocks of nodes differ, or
///   one is set back while the node is down, a late version may lose against one that is older by less
///   than the difference. Run NTP on all nodes.
///
/// A statement that only inserts may ignore `$2` and `$3`.
/// - It fails with class 22, 23, 54 or P0 for a payload that is to blame; the group is halved then,
///   until that one is alone and refused.
public struct UnitKind: Sendable, Hashable {
    /// Stands in the spool and in `sluice.unit_set_aside`: must not change between versions.
    public let name: String
    /// One SQL statement as above.
    package let statement: KeptStatement
    /// Whether the spool takes units that the database does not take. If not, they are unavailable.
    /// Units that are committed, or may be, go to the spool in any case.
    package let mayWaitInSpool: Bool

    /// - Parameters:
    ///   - name: not blank, and no other kind's.
    ///   - statement: such as `SELECT place, result FROM sluice.store_captures($1)`.
    ///   - mayWaitInSpool: false if units depend on something that does not outlast an outage.
    public init(name: String, statement: String, mayWaitInSpool: Bool = true) {
        precondition(!name.isEmpty, "BUG: a kind without a name")
        self.name = name
        self.mayWaitInSpool = mayWaitInSpool
        self.statement = KeptStatement(
            "unit", statement, types: [.textArray, .timestamptzArray, .boolArray])
    }
}

/// Times of one process that rise strictly, also while its wall clock goes back or stands still.
///
/// May be called from any thread.
final class RisingStamps: Sendable {
    private let last = Atomic(Int64.min)

    /// - Parameter wallClock: now, microseconds since 2000.
    /// - Returns: that, or a microsecond after the last one if that is later.
    func next(_ wallClock: Timestamp) -> Timestamp {
        var known = last.load(ordering: .relaxed)
        while true {
            let stamp =
                known == .min ? wallClock.microseconds : max(wallClock.microseconds, known + 1)
            let (isOurs, newer) = last.weakCompareExchange(
                expected: known, desired: stamp, ordering: .relaxed)
            if isOurs { return Timestamp(microseconds: stamp) }
            known = newer
        }
    }
}
