import Auth
import Foundation
import Instruments
import JSONText
import NIOHTTP1

@testable import Formats
@testable import HTTP

/// A request to a format, and what its translation makes of it.
struct Post {
    let method: String
    let target: String
    var fields: [(name: String, value: String)] = []
    var body: [UInt8] = []

    private static let table = RouteTable([RunningFormats(FormatInstruments(Registry())).group])

    init(_ target: String, method: String = "POST", _ body: some Sequence<UInt8>) {
        (self.method, self.target) = (method, target)
        self.body = Array(body)
    }

    /// A file of the form `METHOD TARGET`, header lines, an empty line, and the body; a body that is no
    /// text is in a file beside it, `NAME.binpb`, as another program has written it.
    init(fixture name: String) throws {
        let parts = try Self.file("\(name).http").split(
            separator: "\n\n", maxSplits: 1, omittingEmptySubsequences: false)
        let lines = parts[0].split(separator: "\n")
        let first = lines[0].split(separator: " ")
        (method, target) = (String(first[0]), String(first[1]))
        fields = lines.dropFirst().map { line in
            let words = line.split(separator: ":", maxSplits: 1)
            return (String(words[0]), words[1].trimmingCharacters(in: .whitespaces))
        }
        let binary = Self.directory.appending(path: "\(name).binpb")
        if let bytes = try? Data(contentsOf: binary) {
            body = Array(bytes)
        } else if parts.count > 1 {
            body = Array(parts[1].utf8)
            while body.last == UInt8(ascii: "\n") { body.removeLast() }
        }
    }

    static let directory = Bundle.module.resourceURL!.appending(path: "Fixtures")

    /// The names of all requests in files.
    static let fixtures: [String] =
        ((try? FileManager.default.contentsOfDirectory(atPath: directory.path())) ?? [])
        .filter { $0.hasSuffix(".http") }.map { String($0.dropLast(5)) }.sorted()

    static func file(_ name: String) throws -> String {
        try String(contentsOf: directory.appending(path: name), encoding: .utf8)
    }

    /// The body for the scanner; nil: there is nothing to store.
    func translated(of binding: KeyBinding? = nil) throws -> JSONValue? {
        try translatedText(of: binding).map(Self.tree)
    }

    /// The same as bytes.
    func translatedText(of binding: KeyBinding? = nil) throws -> [UInt8]? {
        let entry = Self.table[Self.table.id(of: target)]
        guard case .translated(_, let translation) = entry.input?.body else { throw NoFormat() }
        let headers = HTTPHeaders(fields.map { ($0.name, $0.value) })
        let request = InputRequest(target, headers, entry.pattern).of(binding)
        let bytes = body
        return try translation(bytes.span.bytes, request)?.finished()
    }

    struct NoFormat: Error {}

    /// With the members of objects in the order of their keys.
    static func tree(_ json: [UInt8]) throws -> JSONValue {
        try json.withUnsafeBufferPointer { bytes in
            var reader = JSONReader(bytes, takesNonFinite: true)
            return sorted(try reader.readTree())
        }
    }

    private static func sorted(_ value: JSONValue) -> JSONValue {
        switch value {
        case .array(let elements): .array(elements.map(sorted))
        case .object(let members):
            .object(
                members.map { JSONMember(key: $0.key, value: sorted($0.value)) }
                    .sorted { ($0.key, "\($0.value)") < ($1.key, "\($1.value)") })
        default: value
        }
    }

    /// The request as bytes on the wire.
    ///
    /// - Parameter key: nil: the fields have one.
    func bytes(key: String?) -> [UInt8] {
        var lines = ["\(method) \(target) HTTP/1.1", "Host: localhost"]
        if let key { lines.append("X-API-Key: \(key)") }
        lines += fields.map { "\($0.name): \($0.value)" }
        if method != "GET" { lines.append("Content-Length: \(body.count)") }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
            + (method == "GET" ? [] : body)
    }
}
