import Instruments
package import Readings
import Scanning
package import Spooling

/// The payload of one record of units in the spool.
///
/// The version byte 2, which tells it from ``SpooledParcels``, the number of units, and for each
/// unit the time it was received, its kind's name, its route and its payload.
package struct SpooledUnits {
    package struct Unit {
        package let receivedAt: Timestamp
        package let kindName: String
        package let route: UInt64
        package let payload: String
    }

    package let units: [Unit]

    private static let version: UInt8 = 2

    static func write(_ items: [Shipment], to record: inout RecordWriter) {
        record.write(version)
        record.write(UInt32(items.count))
        for item in items {
            guard case .unit(let unit) = item.load else {
                preconditionFailure("BUG: a parcel among units")
            }
            record.write(item.receivedAt.microseconds)
            record.write(unit.unit.kind.name)
            record.write(unit.unit.route)
            record.write(unit.unit.payload)
        }
    }

    /// - Returns: nil when the payload is not one of this version.
    package init?(_ payload: [UInt8]) {
        var record = RecordReader(payload)
        guard record.integer(UInt8.self) == Self.version,
            let count = record.integer(UInt32.self)
        else { return nil }
        var units: [Unit] = []
        for _ in 0..<count {
            guard let receivedAt = record.integer(Int64.self), let kindName = record.text(),
                let route = record.integer(UInt64.self), let payload = record.text()
            else { return nil }
            units.append(
                Unit(
                    receivedAt: Timestamp(microseconds: receivedAt), kindName: kindName,
                    route: route, payload: payload))
        }
        guard record.isAtEnd else { return nil }
        self.units = units
    }
}

extension RecordKind {
    /// Readings, in ``SpooledParcels``.
    package static let readings = RecordKind.usual
    /// Units of work, in ``SpooledUnits``.
    package static let workUnits = RecordKind(rawValue: 1)
}

/// Units in the spool of kinds that this process does not know; decides only.
///
/// Another version wrote them. Their records stay in the spool until a process that knows the kinds
/// replays them. The known units of such a record are written meanwhile, once in each process,
/// because a kind's statement may be called again for what it has written.
struct UnknownKinds {
    /// Units by kind, of the records that were read so far.
    private(set) var units: [String: Int] = [:]
    private var records: Set<RecordID> = []
    private var isNew = false
    private var reminder = Reminder()

    /// Notes the unknown kinds of a record, one name for each unit; a second time does nothing.
    mutating func find(_ names: [String], in record: RecordID) {
        guard !names.isEmpty, records.insert(record).inserted else { return }
        for name in names { units[name, default: 0] += 1 }
        isNew = true
    }

    /// What is to be logged now: at most once a minute, and only when there is more.
    mutating func news(now: ContinuousClock.Instant) -> String? {
        guard isNew, reminder.isDue("unknown kinds", now: now) != nil else { return nil }
        isNew = false
        return units.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value))" }
            .joined(separator: ", ")
    }
}

/// Records that stay in the spool because some of their units have kinds unknown to this process.
public struct KeptRecords: Sendable, Equatable {
    /// How many; all their other units are stored.
    public internal(set) var count = 0
    /// By kind; includes records whose other units are not stored yet.
    public internal(set) var unknownUnits: [String: Int] = [:]
}

/// The payload of one record of readings in the spool: the batches of one group.
///
/// A version byte, the number of entries, and for each entry the time it was received, the name of
/// its key, and its parcels, of which this version writes one. Little-endian; see
/// `Parcel.write(to:)`.
package struct SpooledParcels {
    package let parcels: [ReceivedParcel]

    private static let version: UInt8 = 3
    /// Its parcels don't name the kinds of their readings.
    private static let versionWithoutKinds: UInt8 = 1

    static func write(_ items: [Shipment], to record: inout RecordWriter) {
        record.write(version)
        record.write(UInt32(items.count))
        for item in items {
            guard case .parcel(let received) = item.load else {
                preconditionFailure("BUG: a unit among parcels")
            }
            record.write(received.receivedAt.microseconds)
            record.write(received.keyName)
            record.write(UInt32(1))
            received.parcel.write(to: &record)
        }
    }

    /// - Returns: nil when the payload is of another version, or has a kind that this one does not
    ///   know.
    package init?(_ payload: [UInt8]) {
        var record = RecordReader(payload)
        guard let version = record.integer(UInt8.self),
            version == Self.version || version == Self.versionWithoutKinds,
            let count = record.integer(UInt32.self)
        else { return nil }
        var parcels: [ReceivedParcel] = []
        for _ in 0..<count {
            guard let receivedAt = record.integer(Int64.self), let keyName = record.text(),
                let parcelCount = record.integer(UInt32.self)
            else { return nil }
            for _ in 0..<parcelCount {
                guard
                    let parcel = Parcel(from: &record, namesKinds: version == Self.version)
                else { return nil }
                parcels.append(
                    ReceivedParcel(
                        parcel: parcel, keyName: keyName,
                        receivedAt: Timestamp(microseconds: receivedAt)))
            }
        }
        guard record.isAtEnd else { return nil }
        self.parcels = parcels
    }

    /// The number of readings, including quarantined ones.
    package var readings: Int { parcels.reduce(0) { $0 + $1.count } }
}
