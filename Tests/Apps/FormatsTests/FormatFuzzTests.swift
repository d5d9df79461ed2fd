import Instruments
import ScannerSupport
import Testing

@testable import Formats
@testable import HTTP
@testable import HTTPSupport

/// Requests of the fixtures with random damage. Whatever comes, nothing crashes, the client is told
/// something that it understands, and each reading that was counted is stored, quarantined or
/// refused.
@Suite struct FormatFuzzTests {
    /// What damage inserts: what parsers trip over.
    private static let tokens = [
        "{", "}", "[", "]", ",", ":", "\"", "\\", "null", "true", "-1", "1e999", "-0", "0.1e-400",
        "\"\"", "\"\\u0000\"", "\"\\ud800\"", "[[[[[[[[", "{\"a\":", "\u{0}", "é", "&", "=", "%",
        "%zz", "+",
        "9999999999999999999", "\"lat\":", "\"tst\":", "\"_type\":", "\"data\":", "NaN",
    ].map { Array($0.utf8) }

    private static func damage(_ body: inout [UInt8], _ random: inout SeededGenerator) {
        for _ in 0...Int.random(in: 0...3, using: &random) {
            let start = Int.random(in: 0...body.count, using: &random)
            let end = min(body.count, start + Int.random(in: 0...40, using: &random))
            switch Int.random(in: 0..<6, using: &random) {
            case 0:
                if start < body.count { body[start] = UInt8.random(in: 0...255, using: &random) }
            case 1: body.removeSubrange(start..<end)
            case 2: body.insert(contentsOf: body[start..<end], at: start)
            case 3: body.insert(contentsOf: tokens.randomElement(using: &random)!, at: start)
            case 4: body.replaceSubrange(start..<end, with: tokens.randomElement(using: &random)!)
            default: body.removeSubrange(end...)
            }
        }
    }

    @Test(arguments: Post.fixtures) func `a body may arrive in pieces`(name: String) throws {
        let post = try Post(fixture: name)
        let hasKey = post.fields.contains { $0.name == "Authorization" }
        let bytes = post.bytes(key: hasKey ? nil : FakeKeys.good)
        func ask(_ pieces: [ArraySlice<UInt8>]) throws -> (Int, String, String) {
            let rig = try ConnectionRig(
                routes: [RunningFormats(FormatInstruments(Registry())).group])
            for piece in pieces { try rig.send(piece) }
            rig.commitHeld()
            let answer = try rig.answer()
            return (answer.status, answer.body, "\(rig.book)")
        }
        let whole = try ask([bytes[...]])
        let start = bytes.count - post.body.count
        for split in stride(from: start, to: bytes.count, by: max(1, post.body.count / 97)) {
            let found = try ask([bytes[..<split], bytes[split...]])
            #expect(found == whole, "split at \(split)")
        }
    }

    @Test(arguments: Post.fixtures) func `damaged requests are answered and counted`(
        name: String
    ) throws {
        let whole = try Post(fixture: name)
        let hasKey = whole.fields.contains { $0.name == "Authorization" }
        for seed in 0..<300 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            var post = whole
            if whole.method == "GET" || whole.method == "PUT" {
                // As a form: a target with any bytes is no target.
                let query = whole.target.split(separator: "?")
                post = Post(String(query[0]), Array(query[1].utf8))
            }
            Self.damage(&post.body, &random)
            let rig = try ConnectionRig(
                routes: [RunningFormats(FormatInstruments(Registry())).group])
            try rig.send(post.bytes(key: hasKey ? nil : FakeKeys.good))
            rig.commitHeld()
            let answer = try rig.answer()
            #expect([200, 400, 422].contains(answer.status), "seed \(seed): \(answer)")
            let book = rig.book
            #expect(
                book.received == book.stored + book.quarantined + book.refused,
                "seed \(seed): \(book)")
            #expect(answer.status != 200 || book.refused == 0, "seed \(seed): \(book)")
            rig.expectNothingHeld()
        }
    }
}
