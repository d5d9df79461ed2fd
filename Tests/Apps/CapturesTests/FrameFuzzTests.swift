import Captures
import Foundation
import JSONText
import TestSupport
import Testing

/// The frame reader beside Foundation's JSON parser: both must agree on what is JSON and on its
/// meaning.
@Suite(.timeLimit(.minutes(10)))
struct FrameFuzzTests {
    private static let inputs =
        ProcessInfo.processInfo.environment["SLUICE_FUZZ_INPUTS"].flatMap { Int($0) } ?? 5000

    private static let frames: [String] = [
        #"{"type":"memory_capture","id":"ABC-123","timestamp":"2026-01-23T14:30:00Z","photoURL":"https://example.org/p.jpg","transcription":"Walking \u00e9 \ud83d\ude00 é"}"#,
        #"{"transcription":"a\nb","x":{"y":[1,-2.5e-3,true,false,null,"z"]},"timestamp":"2026-01-24T10:30:00-05:00","type":"memory_capture","audioURL":null}"#,
        #" { "type" : "memory_capture" , "timestamp" : "2026-01-24T10:30:00" , "k" : [ ] , "l" : { } } "#,
    ]
    private static let pieces: [String] = [
        "\"", "\\", "{", "}", "[", "]", ",", ":", "0", "-", "1e5", "\\u0000", "\\ud83d", "null",
        "true", "\n", "\u{0}", "é", "\"type\":\"memory_capture\"", "\"id\":", " ", ".", "E+",
    ]

    private func mutated(_ generator: inout Dice) -> [UInt8] {
        var bytes = Array(Self.frames.randomElement(using: &generator)!.utf8)
        for _ in 0..<Int.random(in: 0...3, using: &generator) {
            let place = Int.random(in: 0..<bytes.count, using: &generator)
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
            case 1: bytes.remove(at: place)
            case 2:
                bytes.insert(
                    contentsOf: Self.pieces.randomElement(using: &generator)!.utf8, at: place)
            case 3: bytes.removeSubrange(place...)
            default:
                let end = min(bytes.count, place + Int.random(in: 1...20, using: &generator))
                bytes.insert(contentsOf: bytes[place..<end], at: place)
            }
            if bytes.isEmpty { bytes = [0x20] }
        }
        return bytes
    }

    @Test func `frames mean what Foundation reads`() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = Dice(seed: seed)
        var captures = 0
        for number in 0..<Self.inputs {
            let bytes = mutated(&generator)
            let ours = bytes.withUnsafeBytes { CaptureFrame.decode($0) }
            let theirs =
                Self.isStrange(bytes)
                ? nil
                : try? JSONSerialization.jsonObject(
                    with: Data(bytes), options: [.fragmentsAllowed])
            let place = "seed \(seed), input \(number): \(String(decoding: bytes, as: UTF8.self))"
            switch ours {
            case .failure(.notJSON(.nestedTooDeep, _)), .failure(.duplicateKey): continue
            case .failure(.notJSON):
                // Where Foundation is lenient, the RFC decides; see `isStrange`.
                #expect(theirs == nil, "\(place)")
            case .failure: break
            case .success(let capture):
                captures += 1
                if Self.isStrange(bytes) { continue }
                let object = try #require(theirs as? [String: Any], "\(place)")
                #expect(object["type"] as? String == "memory_capture", "\(place)")
                for (key, value) in [
                    ("transcription", capture.transcription), ("photoURL", capture.photoURL),
                    ("audioURL", capture.audioURL),
                ] {
                    let text = object[key] as? String
                    #expect((text == "" ? nil : text) == value, "\(place)")
                }
            }
        }
        #expect(captures > Self.inputs / 20, "seed \(seed): the mutations leave nothing to compare")
    }

    /// Input on which Foundation is no reference, because it is lenient, stricter than the RFC, or
    /// guesses another encoding: a trailing comma, half of a surrogate pair, encodings other than
    /// UTF-8.
    private static func isStrange(_ bytes: [UInt8]) -> Bool {
        let text = String(decoding: bytes, as: UTF8.self)
        return bytes.contains(0) || bytes.starts(with: [0xEF, 0xBB, 0xBF]) || bytes[0] >= 0xFE
            || text.contains(/,\s*[}\]]/) || text.lowercased().contains("\\ud")
    }
}
