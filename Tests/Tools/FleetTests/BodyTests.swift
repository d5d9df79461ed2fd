import Fleet
import Readings
import Scanner
import Testing

/// Compares the rows that the fleet computes with those of the product's scanner: two
/// implementations of one contract.
@Suite struct BodyTests {
    static let start = Timestamp(microseconds: 9700 * Timestamp.microsecondsPerDay)

    static func rough() -> FleetModel {
        var profile = FleetProfile.rough(start: start)
        profile.seed = 7
        profile.devices = 20
        profile.malformedPerMillion = 100_000
        profile.eventMetadataPerMillion = 500_000
        return FleetModel(profile)
    }

    static func plain() -> FleetModel {
        var profile = FleetProfile(start: start)
        profile.devices = 20
        return FleetModel(profile)
    }

    private func body(_ fleet: FleetModel, _ window: BatchWindow) -> [UInt8] {
        var writer = ByteWriter()
        fleet.appendBody(of: window, to: &writer)
        return writer.array()
    }

    private func scan(_ body: [UInt8]) throws -> ScannedBatch {
        var scanner = BatchScanner(limits: ReadingLimits())
        scanner.begin(now: Timestamp(microseconds: Self.start.microseconds + 86_400_000_000))
        try scanner.scan(body.span.bytes)
        return try scanner.finish()
    }

    @Test(arguments: [true, false], [false, true])
    func `every body becomes the rows that the model computes`(
        isRough: Bool, isBackwards: Bool
    ) throws {
        let fleet = isRough ? Self.rough() : Self.plain()
        for device in 0..<20 {
            let window = BatchWindow(
                device: device, range: 300..<800, isBackwards: isBackwards)
            let batch = try scan(body(fleet, window))
            var expected: [Int64: [ReadingKind: [UInt8]]] = [:]
            var problems: [Problem] = []
            var row = ByteWriter()
            for index in 0..<window.range.count {
                let sequence = window.sequence(at: index)
                row.removeAll()
                if let kind = fleet.appendRow(device: device, sequence: sequence, to: &row) {
                    let bytes = row.array()
                    let key = row.withBytes {
                        Int64(bigEndian: $0.loadUnaligned(fromByteOffset: 6, as: Int64.self))
                    }
                    expected[key, default: [:]][kind, default: []] += bytes
                } else if let malformation = fleet.malformation(device: device, sequence: sequence)
                {
                    problems.append(Problem(index: index, reason: malformation.reason))
                }
            }
            #expect(batch.received == window.range.count)
            #expect(batch.problems == Array(problems.prefix(100)))
            #expect(batch.quarantined == problems.count)
            for deviceBatch in batch.deviceBatches {
                for kind in ReadingKind.allCases {
                    #expect(
                        deviceBatch.tuples(of: kind) == expected[deviceBatch.key.value]?[kind]
                            ?? [],
                        "\(kind) of device \(device)")
                }
                expected[deviceBatch.key.value] = nil
            }
            #expect(expected.isEmpty)
        }
    }

    @Test(arguments: BatchFault.allCases)
    func `a faulty batch gets its expected error`(fault: BatchFault) {
        let window = BatchWindow(device: 3, range: 0..<10, fault: fault)
        let bytes = body(Self.rough(), window)
        let error = #expect(throws: ScanError.self) { try scan(bytes) }
        let isEnvelope = if case .envelope = error { true } else { false }
        #expect(fault.status == (isEnvelope ? 422 : 400))
    }

    @Test func `a window always has the same bytes`() {
        let window = BatchWindow(device: 1, range: 40..<90)
        #expect(body(Self.rough(), window) == body(Self.rough(), window))
    }

    @Test func `a reading can be found by its time`() {
        let fleet = Self.rough()
        var row = ByteWriter()
        for sequence in 0..<3000 {
            row.removeAll()
            guard fleet.appendRow(device: 5, sequence: sequence, to: &row) != nil else { continue }
            let time = row.withBytes {
                Int64(bigEndian: $0.loadUnaligned(fromByteOffset: 18, as: Int64.self))
            }
            let found = fleet.candidates(device: 5, time: Timestamp(microseconds: time))
            #expect(found.contains(sequence))
        }
    }

    @Test func `no two readings of a device are equal`() {
        let fleet = Self.rough()
        var seen: Set<[UInt8]> = []
        var count = 0
        var row = ByteWriter()
        for sequence in 0..<20_000 {
            row.removeAll()
            guard fleet.appendRow(device: 2, sequence: sequence, to: &row) != nil else { continue }
            seen.insert(row.array())
            count += 1
        }
        #expect(seen.count == count)
    }
}
