import Foundation
import JSONText
import TestSupport
import Testing

@Suite struct JSONReaderTests {
    private struct Outcome: Equatable {
        var fault: JSONFault?
        var offset: Int
    }

    private static func tree(_ text: String) throws -> JSONValue {
        var text = text
        return try text.withUTF8 { bytes in
            var reader = JSONReader(bytes)
            return try reader.readTree()
        }
    }

    private static func outcome(
        _ bytes: [UInt8], _ read: (inout JSONReader) throws(JSONFault) -> Void
    ) -> Outcome {
        bytes.withUnsafeBufferPointer { bytes in
            var reader = JSONReader(bytes, depthMax: 5)
            do throws(JSONFault) {
                try read(&reader)
                return Outcome(offset: reader.index)
            } catch {
                return Outcome(fault: error, offset: reader.index)
            }
        }
    }

    @Test func `a tree has all of the text's values`() throws {
        let text =
            #" {"a":[1,-2.5e3,true,false,null,"\u00e9\ud83d\ude00\n"],"a":{},"b":"\u0000","\ud800":1} "#
        let value = try Self.tree(text)
        let elements: [JSONValue] = [
            .number(1), .number(-2500), .bool(true), .bool(false), .null, .string("é😀\n"),
        ]
        guard case .object(let members) = value else {
            Issue.record("\(value)")
            return
        }
        #expect(members.map(\.key) == ["a", "a", "b"])
        #expect(members.map(\.value) == [.array(elements), .object([]), .noText])
    }

    @Test(arguments: ["NaN", "Infinity", "-Infinity", "1e999"])
    func `NaN and infinite numbers are accepted where that is allowed`(_ word: String) throws {
        func read(_ takesNonFinite: Bool) throws -> JSONValue {
            var text = "[\(word)]"
            return try text.withUTF8 { bytes in
                var reader = JSONReader(bytes, takesNonFinite: takesNonFinite)
                return try reader.readTree()
            }
        }
        guard case .array(let elements) = try read(true), case .number(let number) = elements[0]
        else {
            Issue.record("no number")
            return
        }
        #expect(!number.isFinite)
        #expect((try? read(false)) == (word == "1e999" ? .array([.number(.infinity)]) : nil))
    }

    @Test(
        arguments: [
            ("", JSONFault.truncated, 0), ("  ", .truncated, 2), ("{", .truncated, 1),
            ("[1,]", .unexpectedByte, 3), (#"{"a":1,}"#, .unexpectedByte, 7),
            ("01", .unexpectedByte, 1),
            ("tru", .truncated, 3), ("trux", .unexpectedByte, 3), (#"["\x"]"#, .unexpectedByte, 3),
            (#""\u12g4""#, .unexpectedByte, 5), ("\"\n\"", .unexpectedByte, 1),
            ("1 2", .unexpectedByte, 2),
            ("[[[[[1]]]]]", nil, 11), ("[[[[[[1]]]]]]", .nestedTooDeep, 5), ("-", .truncated, 1),
            (#"{"a" 1}"#, .unexpectedByte, 5), ("1.e1", .unexpectedByte, 2),
        ] as [(String, JSONFault?, Int)])
    func `a fault is reported with its byte offset`(
        _ text: String, _ fault: JSONFault?, _ offset: Int
    ) {
        let wanted = Outcome(fault: fault, offset: offset)
        #expect(
            Self.outcome(Array(text.utf8)) { reader throws(JSONFault) in
                _ = try reader.readTree()
            } == wanted)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `both ways to read accept the same texts, and those that Foundation accepts`(
        _ seed: UInt64
    ) {
        var dice = Dice(seed: seed)
        let pieces = [
            "{", "}", "[", "]", ":", ",", "\"a\"", "\"\\u00e9\"", "\"\\ud800\"", "1", "-0.5e+3",
            "true", "false", "null", " ", "\\", "\"", "é", "\u{1}", "01", "NaN",
        ]
        var taken = 0
        for _ in 0..<400 {
            var text = #"{"a":[1,{"b":"c"}],"d":null}"#
            for _ in 0..<Int.random(in: 0...2, using: &dice) {
                let place = text.index(
                    text.startIndex,
                    offsetBy: Int.random(in: 0..<text.count, using: &dice))
                if Bool.random(using: &dice) { text.remove(at: place) }
                text.insert(
                    contentsOf: pieces.randomElement(using: &dice) ?? "",
                    at: text.index(
                        text.startIndex, offsetBy: Int.random(in: 0...text.count, using: &dice)))
            }
            let bytes = Array(text.utf8)
            let asTree = Self.outcome(bytes) { reader throws(JSONFault) in
                _ = try reader.readTree()
            }
            let asObject = Self.outcome(bytes) { reader throws(JSONFault) in
                _ = try reader.readObject { _, _ in }
            }
            #expect(asTree == asObject, "\(text)")
            let isJSON =
                (try? JSONSerialization.jsonObject(
                    with: Data(bytes), options: .fragmentsAllowed)) != nil
            // Foundation rejects an unpaired surrogate, which the reader accepts as a text that
            // nobody gets. Foundation accepts a comma after the last element.
            if !text.contains("\\ud800"), !text.contains(#/, *[\]}]/#) {
                #expect((asTree.fault == nil) == isJSON, "\(text)")
            }
            if asTree.fault == nil { taken += 1 }
        }
        #expect(taken > 100)
    }
}
