import Instruments
package import Readings
import Scanner
import SpoolLog

/// The payload of one record of units in the spool.
///
/// The version byte 2, which tells it from ``SpooledDeviceBatches``, the number of units, and for
/// each unit the time it was received, its kind's name, its route and its payload.
package struct SpooledUnits {
    package struct Unit {
        package let receivedAt: Timestamp
        package let kindName: String
        package let route: UInt64
        package let payload: String
    }

    package let units: [Unit]

    fileprivate static let version: UInt8 = 2

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

extension ReceivedUnit {
    static var recordKind: RecordKind { .workUnits }

    static func write(_ units: some Collection<ReceivedUnit>, to record: inout RecordWriter) {
        record.write(SpooledUnits.version)
        record.write(UInt32(units.count))
        for unit in units {
            record.write(unit.receivedAt.microseconds)
            record.write(unit.unit.kind.name)
            record.write(unit.unit.route)
            record.write(unit.unit.payload)
        }
    }
}
