public import Fleet
import Load
import Readings

/// Compares a database with a ledger. It only reads, apart from making one temporary table.
public final class Verification {
    /// What is wrong.
    public private(set) var objections: Objections
    /// Rows that were read back.
    public private(set) var rows = 0
    /// Quarantined readings that were read back.
    public private(set) var quarantined = 0

    private let ledger: Ledger
    private var marks: [[UInt8]]
    private var owners: [Int64: Int] = [:]
    private var expected = ByteWriter()
    /// The code of all vital readings, where they were sent by name.
    private var code: Int16?

    /// Sluice's tables, and their columns in the order of the tuples.
    static let columns = ReadingKind.allCases.map { kind in
        (kind: kind, names: kind.schema.columns.joined(separator: ", "))
    }

    /// Reads back all rows of the ledger's devices and compares them with the ledger.
    ///
    /// - Parameters:
    ///   - metric: the name with which all vital readings were sent in place of their codes.
    ///   - commitsMayBeUndone: whether a failover may undo commits. A reading whose commit was
    ///     undone is stored again, perhaps by another batch with the same reading. Then the answers
    ///     may count more rows than the tables hold.
    public static func run(
        _ ledger: Ledger, on session: Session, metric: String? = nil,
        commitsMayBeUndone: Bool = false
    ) throws(Session.Failure) -> Verification {
        let verification = Verification(ledger)
        if let metric { try verification.findCode(of: metric, session) }
        try verification.prepare(session)
        try verification.readRows(session)
        try verification.readQuarantine(session)
        verification.findLost()
        try verification.checkDevices(session)
        verification.compareSums(commitsMayBeUndone)
        return verification
    }

    /// Number of the fleet's devices that the database already knows. A run can be checked only
    /// if it is 0.
    public static func devicesKnown(
        of fleet: FleetModel, on session: Session
    ) throws(Session.Failure) -> Int {
        try Verification(Ledger(fleet: fleet)).prepare(session)
        return try session.number(
            "select count(*) from sluice.device join fleet using (device_key)")
    }

    private init(_ ledger: Ledger) {
        self.ledger = ledger
        marks = ledger.marks
        objections = ledger.objections
        for (number, traits) in ledger.fleet.traits.enumerated() {
            owners[traits.key.value] = number
            owners[traits.watchKey.value] = number
        }
    }

    private func prepare(_ session: Session) throws(Session.Failure) {
        try session.execute(
            """
            drop table if exists pg_temp.fleet;
            create temporary table fleet (device_key bigint primary key, device_id text);
            """)
        var keys = ByteWriter()
        for (device, traits) in zip(ledger.fleet.devices, ledger.fleet.traits) {
            for (key, id) in [(traits.key, device.id), (traits.watchKey, device.watchID)] {
                keys.put(bigEndian: Int16(2))
                keys.put(bigEndian: Int32(8))
                keys.put(bigEndian: key.value)
                keys.put(bigEndian: Int32(id.utf8.count))
                keys.put(text: id)
            }
        }
        try session.copyIn("pg_temp.fleet", rows: [keys.array()])
        try session.execute("analyze pg_temp.fleet")
    }

    /// A name without a code was never stored: the rows' own codes are kept, and all are missed.
    private func findCode(of metric: String, _ session: Session) throws(Session.Failure) {
        let rows = try session.rows(
            "select code from sluice.metric_name where name = '\(metric)'")
        code = rows.first?.first.flatMap { Int16($0) }
    }

    // MARK: - Rows

    private func readRows(_ session: Session) throws(Session.Failure) {
        for (kind, names) in Self.columns {
            try session.copyOut(
                "select \(names) from sluice.\(kind.name) join pg_temp.fleet using (device_key)"
            ) { row in
                meet(row, kind: kind)
            }
        }
    }

    private func meet(_ row: UnsafeRawBufferPointer, kind: ReadingKind) {
        rows += 1
        let key = Int64(bigEndian: row.loadUnaligned(fromByteOffset: 6, as: Int64.self))
        let time = Int64(bigEndian: row.loadUnaligned(fromByteOffset: 18, as: Int64.self))
        guard let device = owners[key] else {
            preconditionFailure("BUG: a row of another fleet, device_key=\(key)")
        }
        let id = ledger.fleet.devices[device].id
        let candidates = ledger.fleet.candidates(
            device: device, time: Timestamp(microseconds: time))
        for sequence in candidates where sequence < marks[device].count {
            expected.removeAll()
            guard
                ledger.fleet.appendRow(device: device, sequence: sequence, to: &expected) == kind
            else { continue }
            if kind == .vital, let code { FleetModel.replaceCode(by: code, in: &expected) }
            guard expected.withBytes({ $0.elementsEqual(row) }) else { continue }
            let mark = Ledger.Marks(rawValue: marks[device][sequence])
            guard mark.contains(.sent) else { break }
            if mark.contains(.found) {
                objections.add(.storedTwice(table: "\(kind.name)", device: id, sequence: sequence))
            }
            marks[device][sequence] |= Ledger.Marks.found.rawValue
            return
        }
        objections.add(.invented(table: "\(kind.name)", device: id, microseconds: time))
    }

    // MARK: - Quarantine

    private func readQuarantine(_ session: Session) throws(Session.Failure) {
        try session.copyOut(
            """
            select device_key, convert_to(reason, 'UTF8'), body
            from sluice.quarantine join pg_temp.fleet using (device_key)
            """
        ) { row in
            meetQuarantined(row)
        }
    }

    private func meetQuarantined(_ row: UnsafeRawBufferPointer) {
        quarantined += 1
        let key = Int64(bigEndian: row.loadUnaligned(fromByteOffset: 6, as: Int64.self))
        func field(at offset: Int) -> (bytes: Slice<UnsafeRawBufferPointer>, end: Int) {
            let count = Int32(bigEndian: row.loadUnaligned(fromByteOffset: offset, as: Int32.self))
            let end = offset + 4 + Int(count)
            return (row[(offset + 4)..<end], end)
        }
        let (reasonBytes, bodyAt) = field(at: 14)
        let reason = String(decoding: reasonBytes, as: UTF8.self)
        let body = field(at: bodyAt).bytes
        guard let device = owners[key] else {
            preconditionFailure("BUG: a row of another fleet, device_key=\(key)")
        }
        let id = ledger.fleet.devices[device].id
        guard let sequence = Self.sequence(in: body), sequence < marks[device].count,
            let malformation = ledger.fleet.malformation(device: device, sequence: sequence),
            Ledger.Marks(rawValue: marks[device][sequence]).contains(.sent)
        else { return objections.add(.quarantineInvented(device: id, reason: reason)) }
        expected.removeAll()
        ledger.fleet.appendReading(device: device, sequence: sequence, to: &expected)
        guard expected.withBytes({ $0.elementsEqual(body) }) else {
            return objections.add(.quarantineInvented(device: id, reason: reason))
        }
        if malformation.reason.rawValue != reason {
            objections.add(
                .quarantineWrongReason(
                    device: id, sequence: sequence, expected: malformation.reason.rawValue,
                    found: reason))
        }
        if Ledger.Marks(rawValue: marks[device][sequence]).contains(.found) {
            objections.add(.quarantineTwice(device: id, sequence: sequence))
        }
        marks[device][sequence] |= Ledger.Marks.found.rawValue
    }

    /// The number in `{"n":123,…`.
    private static func sequence(in body: Slice<UnsafeRawBufferPointer>) -> Int? {
        guard body.starts(with: "{\"n\":".utf8) else { return nil }
        let digits = body.dropFirst(5).prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
        return Int(String(decoding: digits, as: UTF8.self))
    }

    // MARK: - What is missing

    private func findLost() {
        for device in marks.indices {
            for (sequence, byte) in marks[device].enumerated() {
                let mark = Ledger.Marks(rawValue: byte)
                guard mark.contains(.acknowledged), !mark.contains(.found) else { continue }
                let id = ledger.fleet.devices[device].id
                if let malformation = ledger.fleet.malformation(device: device, sequence: sequence)
                {
                    objections.add(
                        .quarantineMissing(
                            device: id, sequence: sequence, reason: malformation.reason.rawValue))
                } else {
                    objections.add(.lost(device: id, sequence: sequence))
                }
            }
        }
    }

    private func checkDevices(_ session: Session) throws(Session.Failure) {
        let known = Set(
            try session.rows(
                """
                select device.device_id from sluice.device
                join pg_temp.fleet on fleet.device_key = device.device_key
                    and fleet.device_id = device.device_id
                """
            ).compactMap(\.first))
        for device in marks.indices {
            let isAcknowledged = marks[device].contains {
                Ledger.Marks(rawValue: $0).contains(.acknowledged)
            }
            let id = ledger.fleet.devices[device].id
            if isAcknowledged, !known.contains(id) { objections.add(.deviceMissing(device: id)) }
        }
    }

    private func compareSums(_ commitsMayBeUndone: Bool) {
        // Spooled readings may have been stored before, and readings of unknown fate may be
        // stored or not. So both only raise the maximum. That each reading is stored once is
        // checked by its mark.
        let answered = ledger.totals.stored
        let unsaid =
            ledger.uncertainReadings + ledger.uncountedReadings + ledger.spooled.records
            - ledger.spooled.quarantined
        if (rows < answered && !commitsMayBeUndone) || rows > answered + unsaid {
            objections.add(
                .rowsDifferFromAnswers(rows: rows, answered: answered, uncertain: unsaid))
        }
    }
}
