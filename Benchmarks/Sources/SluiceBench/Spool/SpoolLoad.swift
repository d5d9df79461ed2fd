import Fleet
import Readings
import SpoolLog

/// The payloads to spool: a fleet's readings as COPY tuples, batch after batch. Within a batch
/// they are ordered by kind, as in the lanes.
struct SpoolLoad {
    /// The payloads.
    let records: [[UInt8]]
    let bytes: Int

    /// The size of a record under load, and how many are synced together: the server's limits.
    static let recordBytes = 1 << 20
    static let recordsPerSync = 4

    init(_ fleet: FleetModel, batch: Int, syncs: Int) {
        var window = 0
        records = (0..<syncs * Self.recordsPerSync).map { _ in
            var record: [UInt8] = []
            while record.count < Self.recordBytes {
                record += Self.batch(fleet, number: window, readings: batch)
                window += 1
            }
            return record
        }
        bytes = records.reduce(0) { $0 + $1.count }
    }

    private static func batch(_ fleet: FleetModel, number: Int, readings: Int) -> [UInt8] {
        let device = number % fleet.devices.count
        let first = number / fleet.devices.count * readings
        var kinds: [[UInt8]] = [[], [], []]
        var row = ByteWriter()
        for sequence in first..<(first + readings) {
            row.removeAll()
            guard let kind = fleet.appendRow(device: device, sequence: sequence, to: &row) else {
                preconditionFailure("BUG: a malformed reading in a plain fleet")
            }
            row.withBytes { kinds[Int(kind.rawValue)].append(contentsOf: $0) }
        }
        return kinds.flatMap { $0 }
    }

    var summary: String {
        "\(records.count) records, \(Self.recordsPerSync) a sync, \(bytes >> 20) MiB of tuples"
    }
}
