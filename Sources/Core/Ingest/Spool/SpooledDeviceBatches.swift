import Instruments
import Readings
import Scanner
package import SpoolLog

extension RecordKind {
    /// Readings, in ``SpooledDeviceBatches``.
    package static let readings = RecordKind.usual
    /// Units of work, in ``SpooledUnits``.
    package static let workUnits = RecordKind(rawValue: 1)
}

/// The payload of one record of readings in the spool: the batches of one group.
///
/// A version byte, the number of entries, and for each entry the time it was received, the name of
/// its key, and its device batches, of which this version writes one. Little-endian; see
/// `DeviceBatch.write(to:)`.
package struct SpooledDeviceBatches {
    package let deviceBatches: [ReceivedDeviceBatch]

    fileprivate static let version: UInt8 = 4
    /// The forms of device batches in earlier versions, of which 2 was never written.
    private static let forms: [UInt8: DeviceBatch.RecordForm] = [
        1: .withoutKinds, 3: .withoutUser, version: .current,
    ]

    /// - Returns: nil when the payload is of another version, or has a kind that this one does not
    ///   know.
    package init?(_ payload: [UInt8]) {
        var record = RecordReader(payload)
        guard let form = record.integer(UInt8.self).flatMap({ Self.forms[$0] }),
            let count = record.integer(UInt32.self)
        else { return nil }
        var deviceBatches: [ReceivedDeviceBatch] = []
        for _ in 0..<count {
            guard let receivedAt = record.integer(Int64.self), let keyName = record.text(),
                let batchCount = record.integer(UInt32.self)
            else { return nil }
            for _ in 0..<batchCount {
                guard let deviceBatch = DeviceBatch(from: &record, form) else { return nil }
                deviceBatches.append(
                    ReceivedDeviceBatch(
                        deviceBatch: deviceBatch, keyName: keyName,
                        receivedAt: Timestamp(microseconds: receivedAt), isReplayed: true))
            }
        }
        guard record.isAtEnd else { return nil }
        self.deviceBatches = deviceBatches
    }

    /// The number of readings, including quarantined ones.
    package var readings: Int { deviceBatches.reduce(0) { $0 + $1.count } }
}

extension ReceivedDeviceBatch {
    static var recordKind: RecordKind { .readings }

    static func write(_ received: some Collection<Self>, to record: inout RecordWriter) {
        record.write(SpooledDeviceBatches.version)
        record.write(UInt32(received.count))
        for received in received {
            record.write(received.receivedAt.microseconds)
            record.write(received.keyName)
            record.write(UInt32(1))
            received.deviceBatch.write(to: &record)
        }
    }
}
