import Fleet
import Readings

/// Bodies, and the rows that are expected from them.
struct Corpus {
    /// Has no references: for a small body, counting them would cost more than the scan of a
    /// reading.
    struct Body {
        /// Range in ``Corpus/bytes``.
        let range: Range<Int>
        let deviceKey: Int64
    }

    static let paddingBytes = 64

    /// All bodies, each followed by readable bytes, which simdjson needs.
    let bytes: [UInt8]
    let bodies: [Body]
    /// The expected rows: for each body, by kind.
    let rows: [[[UInt8]]]
    let readings: Int
    /// The expected sum of all values; see ``Checksum``.
    let checksum: UInt64

    var bodyBytes: Int { bodies.reduce(0) { $0 + $1.range.count } }

    /// Makes bodies from the readings of `model`: each has `batch` readings of one device and is
    /// formatted by `layout`.
    init(model: FleetModel, readings: Int, batch: Int, layout: Layout) {
        var bytes: [UInt8] = []
        var bodies: [Body] = []
        var allRows: [[[UInt8]]] = []
        var writer = ByteWriter(capacity: 1 << 20)
        var row = ByteWriter()
        var sum: UInt64 = 0
        var made = 0
        while made < readings {
            let device = bodies.count % model.devices.count
            let first = bodies.count / model.devices.count * batch
            var rows: [[UInt8]] = ReadingKind.allCases.map { _ in [] }
            writer.removeAll()
            writer.put("{\"metadata\":{\"device_id\":\"")
            writer.put(text: model.devices[device].sentID)
            let named = model.devices[device]
            if named.userID != named.id {
                writer.put("\",\"user_id\":\"")
                writer.put(text: named.userID)
            }
            writer.put("\",\"version\":\"1.0\",\"model_name\":\"iPhone 15 Pro\"},")
            if layout.isIndented { writer.put("\n  ") }
            writer.put("\"data\":[")
            for sequence in first..<first + batch {
                if sequence > first { writer.put(",") }
                if layout.isIndented { writer.put("\n    ") }
                model.appendReading(device: device, sequence: sequence, layout: layout, to: &writer)
                row.removeAll()
                guard let kind = model.appendRow(device: device, sequence: sequence, to: &row)
                else {
                    preconditionFailure("BUG: a malformed reading")
                }
                row.withBytes { rows[Int(kind.rawValue)].append(contentsOf: $0) }
                sum &+= row.withBytes { Checksum.ofRow($0, kind: kind) }
            }
            writer.put("]}")
            bodies.append(
                Body(
                    range: bytes.count..<bytes.count + writer.count,
                    deviceKey: model.traits[device].key.value))
            bytes += writer.array()
            bytes += [UInt8](repeating: 0, count: Self.paddingBytes)
            allRows.append(rows)
            made += batch
        }
        self.bytes = bytes
        self.bodies = bodies
        rows = allRows
        self.readings = made
        checksum = sum
    }

    /// The fleet whose readings the scenarios use.
    static func model(
        seed: UInt64, spelling: FleetProfile.Spelling = .plain, metadataPerMillion: Int = 100_000
    ) -> FleetModel {
        // The readings begin yesterday, so that none is ahead of the clock.
        let now = Timestamp.now()
        var profile = FleetProfile(
            start: Timestamp(
                microseconds: Int64(now.day - 1) * Timestamp.microsecondsPerDay))
        profile.seed = seed
        profile.devices = 10
        profile.spelling = spelling
        profile.eventMetadataPerMillion = metadataPerMillion
        // The other side does not read these fields.
        profile.hasDetails = false
        return FleetModel(profile)
    }
}

/// Computes from the rows the sum that simdjson's side computes from the values.
enum Checksum {
    static func ofRow(_ row: UnsafeRawBufferPointer, kind: ReadingKind) -> UInt64 {
        func word(_ offset: Int) -> UInt64 {
            UInt64(bigEndian: row.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        func length(_ offset: Int) -> Int32 {
            Int32(bigEndian: row.loadUnaligned(fromByteOffset: offset, as: Int32.self))
        }
        var sum = word(18)
        switch kind {
        case .gps:
            sum &+= word(30) &* 3 &+ word(42) &* 5
            sum &+= length(50) < 0 ? 11 : word(54) &* 7
        case .vital:
            let code = Int16(bigEndian: row.loadUnaligned(fromByteOffset: 30, as: Int16.self))
            sum &+= UInt64(bitPattern: Int64(code)) &* 13 &+ word(36) &* 17
        case .event:
            let label = Int(length(26))
            let text = Int(length(30 + label))
            let metadata = length(34 + label + max(0, text))
            sum &+= UInt64(label) &* 19 &+ (text < 0 ? 29 : UInt64(text) &* 23)
            sum &+= metadata < 0 ? 37 : 31
        }
        return sum
    }
}
