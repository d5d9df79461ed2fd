import Readings
package import Scanning

/// The payload of one record of readings in the spool: the batches of one group.
///
/// A version byte, the number of batches, and per batch the time it came in, the name of its key
/// and its parcels. Little-endian; see `Parcel.write(to:)`.
package struct SpooledBatches {
    package struct Batch {
        package let receivedAt: Int64
        package let keyName: String
        package let parcels: [Parcel]
    }

    package let batches: [Batch]

    private static let version: UInt8 = 1

    static func write(_ items: [SpoolItem], to record: inout RecordWriter) {
        record.write(version)
        record.write(UInt32(items.count))
        for item in items {
            guard case .parcels(let parcels, let keyName) = item.load else {
                preconditionFailure("BUG: a unit among batches")
            }
            record.write(item.receivedAt.microseconds)
            record.write(keyName)
            record.write(UInt32(parcels.count))
            for parcel in parcels { parcel.write(to: &record) }
        }
    }

    /// - Returns: nil when the payload is not one of this version.
    package init?(_ payload: [UInt8]) {
        var record = RecordReader(payload)
        guard record.integer(UInt8.self) == Self.version,
            let count = record.integer(UInt32.self)
        else { return nil }
        var batches: [Batch] = []
        for _ in 0..<count {
            guard let receivedAt = record.integer(Int64.self), let keyName = record.text(),
                let parcelCount = record.integer(UInt32.self)
            else { return nil }
            var parcels: [Parcel] = []
            for _ in 0..<parcelCount {
                guard let parcel = Parcel(from: &record) else { return nil }
                parcels.append(parcel)
            }
            batches.append(Batch(receivedAt: receivedAt, keyName: keyName, parcels: parcels))
        }
        guard record.isAtEnd else { return nil }
        self.batches = batches
    }

    /// Readings, those set aside among them.
    package var readings: Int {
        batches.reduce(0) { sum, batch in
            sum + batch.parcels.reduce(0) { $0 + $1.rowCount + $1.quarantined.count }
        }
    }
}
