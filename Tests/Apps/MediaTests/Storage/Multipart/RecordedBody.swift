import Foundation
import Media
import Testing

/// A body that a real client sent (`Corpus/record`), and its known contents.
struct RecordedBody: Sendable, CustomTestStringConvertible {
    let name: String
    let parts: [(PartHeader, [UInt8])]

    var testDescription: String { name }

    func load() throws -> (body: [UInt8], boundary: MultipartBoundary) {
        let directory = Bundle.module.resourceURL!.appendingPathComponent("Corpus")
        let body = try Data(contentsOf: directory.appendingPathComponent("\(name).body"))
        let type = try String(
            contentsOf: directory.appendingPathComponent("\(name).type"), encoding: .utf8)
        return (Array(body), try MultipartBoundary(contentType: type))
    }

    static let binary =
        (0..<1024).map { UInt8(truncatingIfNeeded: $0) } + Array("\r\n--\r\n\r\n----\r\n--\r".utf8)
    static let greeting = Array("Grüße, \u{1F30D}".utf8)

    private static func part(
        _ name: String, _ filename: String, _ type: String?, _ body: [UInt8]
    ) -> (PartHeader, [UInt8]) {
        (PartHeader(name: name, filename: filename, contentType: type), body)
    }

    private static func part(_ name: String, _ body: [UInt8]) -> (PartHeader, [UInt8]) {
        (PartHeader(name: name), body)
    }

    private static func text(_ text: String) -> [UInt8] { Array(text.utf8) }

    private static let octets = "application/octet-stream"

    static let all: [RecordedBody] = [
        RecordedBody(
            name: "browser-file",
            parts: [
                part("caption", greeting), part("file", "photo.jpg", "image/jpeg", binary),
            ]),
        RecordedBody(
            name: "browser-names",
            parts: [
                part("a\"b\r\nc", text("line 1\r\nline 2")),
                // The name's own `%22` and its quotes are sent in the same way.
                part("file", "say \"hi\" 100\" \\ bäh.txt", "text/plain", text("x")),
                part("file", "ends with \\", octets, text("y")),
                part("blob", "blob", octets, text("z")),
            ]),
        RecordedBody(name: "browser-empty", parts: []),
        RecordedBody(
            name: "browser-empty-file",
            parts: [part("file", "", octets, []), part("text", [])]),
        RecordedBody(
            name: "curl-file",
            parts: [
                part("caption", greeting), part("file", "photo.jpg", "image/jpeg", binary),
            ]),
        RecordedBody(name: "curl-typed", parts: [part("file", "a", octets, binary)]),
        RecordedBody(
            name: "curl-names",
            parts: [
                part("file", "say \"hi\" \\ bäh.bin", octets, text("odd")),
                part("a\"b", text("1")),
            ]),
        RecordedBody(
            name: "curl-escaped",
            parts: [part("file", "say \"hi\" \\ bäh.bin", octets, text("odd"))]),
        RecordedBody(
            name: "curl-empty-file",
            parts: [part("file", "empty", octets, []), part("text", [])]),
        RecordedBody(
            name: "requests-file",
            parts: [
                part("caption", greeting), part("file", "photo.jpg", "image/jpeg", binary),
            ]),
        RecordedBody(
            name: "requests-names",
            parts: [
                part("file", "say \"hi\" \\ bäh.txt", nil, text("x")),
                part("näme", text("y")),
                part("file", "plain.txt", "text/plain", text("z")),
            ]),
        RecordedBody(name: "requests-empty-file", parts: [part("file", "empty", nil, [])]),
    ]
}
