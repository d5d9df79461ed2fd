import Readings
import Scanner
import ScannerSupport
import Testing

/// The content of each corpus file, counted by hand.
struct CorpusExpectation: CustomTestStringConvertible, Sendable {
    let name: String
    var gps = 0
    var vital = 0
    var event = 0
    var devices: [String]
    var problems: [(index: Int, reason: QuarantineReason)] = []

    var testDescription: String { name }

    static let all: [CorpusExpectation] = [
        .init(name: "empty.json", devices: ["d1"]),
        .init(
            name: "seed-sample.json", gps: 1, vital: 1, event: 1,
            devices: ["11111111-1111-1111-1111-111111111111"]),
        .init(
            name: "seed-curl.json", gps: 1, vital: 1, event: 1,
            devices: ["11111111-1111-1111-1111-111111111111"]),
        .init(
            name: "swift-encoder.json", gps: 2, vital: 2, event: 3,
            devices: ["5f0c6b1e-8d0b-4c39-9c43-2b6a3c6a1d11"]),
        .init(
            name: "devices.json", gps: 5, vital: 5,
            devices: ["phone", "watch-b", "watch-a", "é", "e\u{301}"],
            problems: [(3, .valueInvalid)]),
        .init(name: "timestamps.json", vital: 27, devices: ["clock"]),
        .init(
            name: "numbers.json", gps: 4, vital: 7, devices: ["numbers"],
            problems: [(4, .valueOutOfRange), (5, .valueOutOfRange), (6, .valueOutOfRange)]),
        .init(
            name: "texts.json", event: 4, devices: ["texts"],
            problems: [(4, .valueTextContainsNul), (5, .labelInvalid), (6, .valueTextInvalid)]),
        .init(name: "event-metadata.json", event: 7, devices: ["trees"]),
        .init(name: "unknown-keys.json", gps: 1, vital: 2, devices: ["yes"]),
        .init(name: "whitespace.json", gps: 1, vital: 1, devices: ["w"]),
        .init(
            name: "quarantine.json", vital: 1, devices: ["q"],
            problems: Array(
                [
                    QuarantineReason.typeMissing, .duplicateKey, .typeUnknown, .timeMissing,
                    .timeInvalid, .timeInFuture, .timeTooOld, .deviceIDInvalid, .latitudeMissing,
                    .latitudeInvalid, .latitudeOutOfRange, .longitudeMissing, .longitudeInvalid,
                    .longitudeOutOfRange, .accuracyInvalid, .accuracyOutOfRange, .codeMissing,
                    .codeInvalid, .codeOutOfRange, .valueMissing, .valueInvalid, .valueOutOfRange,
                    .labelMissing, .labelInvalid, .labelContainsNul, .valueTextInvalid,
                    .valueTextContainsNul, .metadataInvalid, .metadataContainsNul,
                    .metadataNumberOutOfRange,
                ].enumerated().map { ($0.offset, $0.element) })),
    ]
}

@Suite struct `The corpus` {
    @Test(arguments: CorpusExpectation.all)
    func `holds what was counted by hand`(_ expected: CorpusExpectation) throws {
        let body = try Corpus.body(expected.name)
        let batch = try #require(agreed(on: body).batch)
        #expect(batch.rowCount(of: .gps) == expected.gps)
        #expect(batch.rowCount(of: .vital) == expected.vital)
        #expect(batch.rowCount(of: .event) == expected.event)
        #expect(batch.devices.map(\.id) == expected.devices.map { Array($0.utf8) })
        #expect(batch.problems.map(\.index) == expected.problems.map(\.index))
        #expect(batch.problems.map(\.reason) == expected.problems.map(\.reason))
        #expect(batch.quarantined == expected.problems.count)
        let rows = expected.gps + expected.vital + expected.event
        #expect(batch.received == rows + expected.problems.count)
    }

    @Test func `has an expectation for every file`() throws {
        let files = try Corpus.names().filter { $0.hasSuffix(".json") }
        #expect(files == CorpusExpectation.all.map(\.name).sorted())
    }

    @Test(.timeLimit(.minutes(10)), arguments: CorpusExpectation.all)
    func `reads the same when it is cut anywhere`(_ expected: CorpusExpectation) throws {
        let body = try Corpus.body(expected.name)
        agreed(on: body, (0...body.count).map { .split(at: $0) })
        agreed(on: body, (1...64).map { .pieces(of: $0) })
    }

    @Test(.timeLimit(.minutes(10)), arguments: CorpusExpectation.all)
    func `is truncated wherever it ends early`(_ expected: CorpusExpectation) throws {
        let body = try Corpus.body(expected.name)
        let end = try #require(body.lastIndex(of: UInt8(ascii: "}")))
        for length in 0...end {
            let verdict = agreed(on: Array(body[..<length]), [.whole, .split(at: length / 2)])
            #expect(verdict.error == .truncated(offset: length))
        }
    }

    @Test func `gives the seed's sample as these tuples`() throws {
        let device = try #require(agreed(on: try Corpus.body("seed-sample.json")).batch?.devices[0])
        let key = "00000008" + "34ae7acc75b27af9"
        #expect(
            device.key == DeviceKey(value: 3796106554486455033, check: 6302579821989388232))
        #expect(
            hex(device[.gps].tuples)
                == "0008" + key + "00000008" + "0002ed783ce636c0" + "00000008" + "404106ae7d566cf4"
                + "00000008" + "c05d8f98c7e28241" + "00000008" + "4014000000000000"
                + "ffffffff" + "ffffffff" + "ffffffff")
        #expect(
            hex(device[.vital].tuples)
                == "0004" + key + "00000008" + "0002ed783c99eb80" + "00000002" + "0001"
                + "00000008" + "4052000000000000")
        #expect(
            hex(device[.event].tuples)
                == "0005" + key + "00000008" + "0002ed783c4da040"
                + "0000000c" + hex(Array("motion_state".utf8))
                + "00000007" + hex(Array("walking".utf8)) + "ffffffff")
        #expect(device.modelName == Array("iPhone 15 Pro".utf8))
        #expect(device.version == Array("1.0".utf8))
        #expect(device.userID == device.id)
    }

    @Test func `gives one moment for all its spellings`() throws {
        let device = try #require(agreed(on: try Corpus.body("timestamps.json")).batch?.devices[0])
        #expect(
            times(of: device[.vital].tuples)
                == [Int64](repeating: 824_040_000_000_000, count: 20) + [
                    824_040_000_500_000, 824_040_000_123_456, 762_566_399_999_999,
                    789_004_799_000_000, 789_004_800_000_000, 824_137_200_000_000,
                    760_892_400_000_000,
                ])
    }

    /// Every vital tuple has 44 bytes; its time begins at byte 18.
    private func times(of tuples: [UInt8]) -> [Int64] {
        stride(from: 0, to: tuples.count, by: 44).map { start in
            tuples[start + 18..<start + 26].reduce(0) { $0 << 8 | Int64($1) }
        }
    }

    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
