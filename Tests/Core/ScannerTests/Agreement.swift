import Foundation
import Readings
import Scanner
import ScannerSupport
import Testing

/// The ways of cutting a body that all tests try.
let usualChunkings: [Chunking] = [
    .whole, .pieces(of: 1), .pieces(of: 7), .pieces(of: 1460), .random(seed: 1), .random(seed: 2),
]

/// The verdict of both decoders on `body`, which must be the same however it is cut.
@discardableResult
func agreed(
    on body: [UInt8], _ chunkings: [Chunking] = usualChunkings, _ shape: BodyShape = .document,
    limits: ReadingLimits = ReadingLimits(), now: Timestamp = BatchGenerator.now,
    sourceLocation: SourceLocation = #_sourceLocation
) -> Verdict {
    var comparison = Comparison(limits: limits, now: now)
    let expected = comparison.reference.verdict(on: body, shape)
    for chunking in chunkings {
        let got = comparison.scannerVerdict(on: body, chunking, shape)
        if got != expected {
            let difference = Difference(
                body: body, chunking: chunking, expected: expected, got: got)
            Issue.record("\(difference)", sourceLocation: sourceLocation)
            break
        }
    }
    return expected
}

/// A batch of `readings`, each a JSON object, from the device `d`.
func batch(_ readings: [String]) -> [UInt8] {
    Array("{\"metadata\":{\"device_id\":\"d\"},\"data\":[\(readings.joined(separator: ","))]}".utf8)
}

/// The corpus, by file name.
enum Corpus {
    static let directory = Bundle.module.resourceURL!.appending(path: "Corpus")

    static func body(_ name: String) throws -> [UInt8] {
        try Array(Data(contentsOf: directory.appending(path: name)))
    }

    static func names(under subdirectory: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(
            atPath: directory.appending(path: subdirectory).path()
        ).sorted()
    }
}

/// How many inputs the random tests try; `SLUICE_FUZZ_INPUTS` sets the total.
enum Effort {
    static let inputs =
        ProcessInfo.processInfo.environment["SLUICE_FUZZ_INPUTS"].flatMap { Int($0) } ?? 20_000
    /// How many numbers are tried of each sort.
    static let numbers = min(inputs * 5, 500_000)
    /// The first seed of random tests; another seed gives other inputs.
    static let seed =
        ProcessInfo.processInfo.environment["SLUICE_FUZZ_SEED"].flatMap { UInt64($0) } ?? 1
}
