import Readings
package import Spooling

/// The payload of one record of units in the spool.
///
/// The version byte 2, which tells it from ``SpooledBatches``, the number of units, and per unit the
/// time it came in, its kind's name, its route and its payload.
package struct SpooledUnits {
    package struct Unit {
        package let receivedAt: Int64
        package let kindName: String
        package let route: UInt64
        package let payload: String
    }

    package let units: [Unit]

    private static let version: UInt8 = 2

    static func write(_ items: [SpoolItem], to record: inout RecordWriter) {
        record.write(version)
        record.write(UInt32(items.count))
        for item in items {
            guard case .unit(let unit) = item.load else {
                preconditionFailure("BUG: a batch among units")
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
                Unit(receivedAt: receivedAt, kindName: kindName, route: route, payload: payload))
        }
        guard record.isAtEnd else { return nil }
        self.units = units
    }
}

extension RecordKind {
    /// Readings, in ``SpooledBatches``.
    package static let readings = RecordKind.usual
    /// Units of work, in ``SpooledUnits``.
    package static let workUnits = RecordKind(rawValue: 1)
}
