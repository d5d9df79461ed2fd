import Spooling

/// Which records of the spool are on their way back to the database; decides only.
struct Replay {
    /// One record on its way.
    struct Shipment {
        let id: RecordID
        let bytes: Int
        /// Readings or units.
        let count: Int
        let kind: RecordKind
    }

    /// Reading goes on behind this one; nil at the oldest.
    private(set) var cursor: RecordID?
    private var underWay: [UInt64: Shipment] = [:]
    private var idsUnderWay: Set<RecordID> = []
    private var bytesUnderWay = 0
    /// Records that were not taken, and when they are tried again.
    private var held: [RecordID: ContinuousClock.Instant] = [:]
    private var nextTicket: UInt64 = 0
    private let bytesMax: Int

    init(bytesMax: Int) {
        self.bytesMax = bytesMax
    }

    /// Whether another record may be read.
    var hasRoom: Bool { underWay.isEmpty || bytesUnderWay < bytesMax }

    /// Starts again at the oldest when a record that was not taken is due.
    mutating func rewind(now: ContinuousClock.Instant) {
        let due = held.filter { $0.value <= now }
        guard !due.isEmpty else { return }
        for id in due.keys { held[id] = nil }
        cursor = nil
    }

    /// Notes that reading has come to `id`.
    ///
    /// - Returns: false when it is to be passed over: under way already, or not due.
    mutating func reach(_ id: RecordID) -> Bool {
        cursor = id
        return !idsUnderWay.contains(id) && held[id] == nil
    }

    /// - Returns: the ticket of its receipt.
    mutating func ship(_ record: SpooledRecord) -> UInt64 {
        nextTicket += 1
        underWay[nextTicket] = Shipment(
            id: record.id, bytes: record.payload.count, count: record.units, kind: record.kind)
        idsUnderWay.insert(record.id)
        bytesUnderWay += record.payload.count
        return nextTicket
    }

    mutating func arrive(_ ticket: UInt64) -> Shipment {
        guard let shipment = underWay.removeValue(forKey: ticket) else {
            preconditionFailure("BUG: nothing is under way with ticket \(ticket)")
        }
        idsUnderWay.remove(shipment.id)
        bytesUnderWay -= shipment.bytes
        return shipment
    }

    /// It was not taken, or can't be read.
    mutating func hold(_ id: RecordID, until: ContinuousClock.Instant) {
        held[id] = until
    }
}
