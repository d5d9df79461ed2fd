import Foundation
import JSONText
import Testing

@Suite struct JSONStringTests {
    static let texts =
        ["", "plain", "\"\\/", "ü€😀", "\u{7F}\u{2028}", "a\u{0}b"]
        + (0..<0x30).map { "<\(Character(Unicode.Scalar(UInt8($0))))>" }

    @Test(arguments: texts) func `a text is read back from its JSON string`(text: String) throws {
        let json = JSONString.quoted(text)
        let read = try JSONSerialization.jsonObject(
            with: Data(json.utf8), options: .fragmentsAllowed)
        #expect(read as? String == text)
        var bytes = Array("{".utf8)
        Array(text.utf8).withUnsafeBytes { JSONString.append($0, to: &bytes) }
        #expect(String(decoding: bytes, as: UTF8.self) == "{" + json)
        var longer = "["
        JSONString.append(text, to: &longer)
        #expect(longer == "[" + json)
    }

    @Test(arguments: texts + ["\u{9B}1m\u{202E}x", "\u{E0041}\u{10FFFF}", "漢字 é"])
    func `what a terminal might act on is escaped, and the value stays`(text: String) throws {
        let json = "{\n\t\"a\":\r\n [\(JSONString.quoted(text))]}\n"
        let safe = JSONString.escapedForTerminal(json)
        #expect(
            safe.unicodeScalars.allSatisfy {
                $0.isHarmlessOnTerminal || $0 == "\n" || $0 == "\t"
            })
        let read = try JSONSerialization.jsonObject(with: Data(safe.utf8)) as? [String: [String]]
        #expect(read == ["a": [text]])
        #expect(JSONString.escapedForTerminal(safe) == safe)
        let harmless = text.harmlessOnTerminal(keepsLines: true)
        #expect(harmless.unicodeScalars.count == text.unicodeScalars.count)
        #expect(
            harmless.unicodeScalars.allSatisfy {
                $0.isHarmlessOnTerminal || $0 == "\n" || $0 == "\t"
            })
    }

    @Test func `characters with a short escape get it`() {
        #expect(
            JSONString.quoted("\"\\/\u{8}\t\n\u{C}\r\u{1}\u{1F}\u{7F}")
                == #""\"\\/\b\t\n\f\r\u0001\u001f"# + "\u{7F}\"")
    }
}
