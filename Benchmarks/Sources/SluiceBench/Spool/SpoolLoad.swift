import Fleet
import Readings
import Spooling

/// The payloads to spool: a fleet's readings as COPY tuples, batch after batch. Within a batch
/// they are ordered by kind, as in the lanes.
struct SpoolLoad {
    /// Payloads of each group's records.
    let groups: [[[UInt8]]]
    let bytes: Int

    static let groupBytes = 1 << 20

    init(_ fleet: FleetModel, batch: Int, groups count: Int, recordsAreBatches: Bool) {
        var groups: [[[UInt8]]] = []
        var window = 0
        while groups.count < count {
            var batches: [[UInt8]] = []
            var bytes = 0
            while bytes < Self.groupBytes {
                batches.append(Self.batch(fleet, number: window, readings: batch))
                bytes += batches.last?.count ?? 0
                window += 1
            }
            groups.append(recordsAreBatches ? batches : [batches.flatMap { $0 }])
        }
        self.groups = groups
        bytes = groups.reduce(0) { $0 + $1.reduce(0) { $0 + $1.count } }
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
        let records = groups.reduce(0) { $0 + $1.count }
        return "\(groups.count) groups, \(records) records, \(bytes >> 20) MiB of tuples"
    }
}
