import Fleet
import Readings

/// The rows of the first `readings` readings of a fleet, ready for COPY, one list of buffers per
/// kind.
///
/// The rows are in the order in which the fleet would send them: one batch of each device in
/// turn. Only for plain fleets, in which every reading becomes a row.
struct RawRows {
    private(set) var parts: [[[UInt8]]] = ReadingKind.allCases.map { _ in [] }
    private(set) var counts = ReadingKind.allCases.map { _ in 0 }

    private static let partBytes = 1 << 20

    init(fleet: FleetModel, batch: Int, readings: Int) {
        var writers = Writers()
        var left = readings
        var window = 0
        while left > 0 {
            let device = window % fleet.devices.count
            let first = window / fleet.devices.count * batch
            for sequence in first..<first + min(batch, left) {
                writers.append(fleet, device: device, sequence: sequence, rows: &self)
            }
            left -= batch
            window += 1
        }
        writers.flush(into: &self)
    }

    var total: Int { counts.reduce(0, +) }

    fileprivate mutating func add(_ part: [UInt8], kind: ReadingKind) {
        parts[Int(kind.rawValue)].append(part)
    }

    /// One writer per kind, because a row's kind is known only once the row is made.
    private struct Writers: ~Copyable {
        var row = ByteWriter()
        var ofKinds = ByKind<ByteWriter> { _ in ByteWriter(capacity: RawRows.partBytes + 4096) }

        mutating func append(
            _ fleet: FleetModel, device: Int, sequence: Int, rows: inout RawRows
        ) {
            row.removeAll()
            guard let kind = fleet.appendRow(device: device, sequence: sequence, to: &row) else {
                preconditionFailure("BUG: a malformed reading in a plain fleet")
            }
            rows.counts[Int(kind.rawValue)] += 1
            row.withBytes { bytes in
                Self.put(bytes, kind, &ofKinds[kind], &rows)
            }
        }

        private static func put(
            _ bytes: UnsafeRawBufferPointer, _ kind: ReadingKind, _ writer: inout ByteWriter,
            _ rows: inout RawRows
        ) {
            writer.put(bytes: bytes)
            guard writer.count >= RawRows.partBytes else { return }
            rows.add(writer.array(), kind: kind)
            writer.removeAll()
        }

        mutating func flush(into rows: inout RawRows) {
            for kind in ReadingKind.allCases { rows.add(ofKinds[kind].array(), kind: kind) }
        }
    }
}
