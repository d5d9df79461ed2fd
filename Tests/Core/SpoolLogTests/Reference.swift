import SpoolLog

/// The expected contents of a spool, kept as plainly as possible.
struct Reference {
    struct Entry: Equatable {
        let number: Int
        let payload: [UInt8]
        let units: Int
        let time: Int64
        var id: RecordID
        /// False for a record that was found after a process crash: it was not synced, so a power
        /// loss may still lose it.
        var isPromised = true

        func equals(_ record: SpooledRecord) -> Bool {
            payload == record.payload && units == record.units && time == record.time
        }
    }

    /// Everything that was ever appended; an entry's number is its index.
    private(set) var ever: [Entry] = []
    /// Synced and not released.
    private(set) var durable: [Entry] = []
    private(set) var pending: [Entry] = []

    mutating func appended(_ payload: [UInt8], units: Int, time: Int64, _ id: RecordID) {
        let entry = Entry(number: ever.count, payload: payload, units: units, time: time, id: id)
        ever.append(entry)
        pending.append(entry)
    }

    mutating func synced() {
        durable += pending
        pending = []
    }

    mutating func syncFailed() { pending = [] }

    mutating func released(_ id: RecordID) { durable.removeAll { $0.id == id } }

    /// The rules after a recovery: every durable record is there, nothing else than was appended,
    /// each record once and in the order of appending. All records found count as durable from now
    /// on.
    mutating func recovered(_ records: [SpooledRecord], afterPowerLoss: Bool) -> String? {
        pending = []
        let promised = Set(durable.filter(\.isPromised).map(\.number))
        var found: [Entry] = []
        for record in records {
            guard record.payload.count >= 4 else { return "a record without a number" }
            let number = record.payload.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            guard number < ever.count, ever[number].equals(record) else {
                return "record \(number) at \(record.id) was never appended"
            }
            if let last = found.last, last.number >= number {
                return "record \(number) follows \(last.number)"
            }
            var entry = ever[number]
            entry.id = record.id
            entry.isPromised = afterPowerLoss || promised.contains(number)
            found.append(entry)
        }
        let numbers = Set(found.map(\.number))
        if let lost = durable.first(where: {
            $0.isPromised && !numbers.contains($0.number)
        }) {
            return "record \(lost.number) at \(lost.id) is lost"
        }
        durable = found
        return nil
    }

    /// The rule while no crash occurs: exactly the durable records are there.
    func differs(from records: [SpooledRecord]) -> String? {
        guard records.map(\.id) == durable.map(\.id) else {
            return "\(records.map(\.id)) instead of \(durable.map(\.id))"
        }
        for (record, entry) in zip(records, durable) where !entry.equals(record) {
            return "record \(entry.number) at \(record.id) is changed"
        }
        return nil
    }

    /// A payload that contains its number; some payloads compress and some do not.
    func nextPayload(bytes: Int, _ dice: inout some RandomNumberGenerator) -> [UInt8] {
        var payload = (0..<4).map { UInt8(truncatingIfNeeded: ever.count >> (8 * (3 - $0))) }
        let filler = UInt8.random(in: 0...255, using: &dice)
        let isRandom = Bool.random(using: &dice)
        var word: UInt64 = 0
        for index in 4..<max(4, bytes) {
            if index % 8 == 4 { word = dice.next() }
            payload.append(isRandom ? UInt8(truncatingIfNeeded: word) : filler)
            word >>= 8
        }
        return payload
    }
}
