import Encodings
import Foundation
import Readings

/// What stands beside a file of rows, as JSON: enough to check it and to bring it back by hand.
public struct Manifest: Codable, Equatable, Sendable {
    /// Of this form of manifest.
    public var format = 1
    /// The same in `sluice.archive`.
    public var id: String
    /// The table.
    public var kind: String
    /// `YYYY-MM-DD`
    public var day: String
    /// From 1.
    public var part: Int
    /// The file's name.
    public var file: String
    /// Of each line, in order.
    public var columns: [String]
    /// Lines.
    public var rows: Int
    /// The earliest time in it, ISO 8601.
    public var firstTime: String
    /// The latest.
    public var lastTime: String
    /// Of what the file holds.
    public var textBytes: Int
    /// Of the file.
    public var bytes: Int
    /// Of the file, hexadecimal.
    public var sha256: String
    /// Number of the last migration of the database.
    public var schemaVersion: Int
    /// Who wrote it.
    public var node: String

    private enum CodingKeys: String, CodingKey {
        case format, id, kind, day, part, file, columns, rows, bytes, sha256, node
        case firstTime = "first_time"
        case lastTime = "last_time"
        case textBytes = "text_bytes"
        case schemaVersion = "schema_version"
    }

    /// What the file must be.
    var facts: FileFacts {
        FileFacts(
            bytes: bytes, textBytes: textBytes, rows: rows, sha256: Hexadecimal.bytes(sha256) ?? [])
    }

    var json: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(self) else {
            preconditionFailure("BUG: a manifest that is no JSON")
        }
        return [UInt8](data) + [0x0A]
    }

    static func parse(_ bytes: [UInt8]) -> Manifest? {
        try? JSONDecoder().decode(Manifest.self, from: Data(bytes))
    }
}

extension Manifest {
    init(
        _ part: ArchivedPart, file: String, columns: [String], _ facts: FileFacts,
        times: (first: Int64, last: Int64), schemaVersion: Int, node: String
    ) {
        self.init(
            id: part.id, kind: part.partition.kind.rawValue, day: part.partition.day.text,
            part: part.part, file: file, columns: columns, rows: facts.rows,
            firstTime: Timestamp(microseconds: times.first).microsecondsText,
            lastTime: Timestamp(microseconds: times.last).microsecondsText,
            textBytes: facts.textBytes, bytes: facts.bytes,
            sha256: Hexadecimal.text(facts.sha256), schemaVersion: schemaVersion, node: node)
    }

    /// Of a file that takes the place of this one's.
    mutating func set(_ facts: FileFacts) {
        bytes = facts.bytes
        textBytes = facts.textBytes
        rows = facts.rows
        sha256 = Hexadecimal.text(facts.sha256)
    }
}
