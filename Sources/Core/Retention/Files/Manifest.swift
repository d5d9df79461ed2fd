import Encodings
import Foundation
import Readings

/// The JSON file beside a file of rows: enough to check it and to restore it by hand.
public struct Manifest: Codable, Equatable, Sendable {
    /// The version of this format.
    public var format = Manifest.newest
    /// The id in `sluice.archive`.
    public var id: String
    /// The table.
    public var kind: String
    /// The partition's first day, `YYYY-MM-DD`.
    public var day: String
    /// Counts from 1.
    public var part: Int
    /// The name of the file of rows.
    public var file: String
    /// The columns of a row, in order.
    public var columns: [String]
    /// The number of rows, without a header.
    public var rows: Int
    /// The number of devices with rows; nil: sums, or a file of an older version.
    public var devices: Int?
    /// How many of them had, as far as it was known, sent everything of these days when the file
    /// was written: see `complete_up_to` of `analytics.completeness`.
    public var devicesComplete: Int?
    /// The earliest time of a row, ISO 8601.
    public var firstTime: String
    /// The latest time of a row.
    public var lastTime: String
    /// The size of the uncompressed contents.
    public var textBytes: Int
    /// The size of the file.
    public var bytes: Int
    /// The SHA-256 of the file in hexadecimal.
    public var sha256: String
    /// The number of the database's last migration.
    public var schemaVersion: Int
    /// The node that wrote the file.
    public var node: String

    private enum CodingKeys: String, CodingKey {
        case format, id, kind, day, part, file, columns, rows, devices, bytes, sha256, node
        case devicesComplete = "devices_complete"
        case firstTime = "first_time"
        case lastTime = "last_time"
        case textBytes = "text_bytes"
        case schemaVersion = "schema_version"
    }

    /// The expected facts of the file.
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

    /// The newest format that this version knows.
    static let newest = 1

    /// The format of a manifest, also of one that this version does not know; nil: it says none.
    static func format(of bytes: [UInt8]) -> Int? {
        struct Head: Decodable { let format: Int }
        return (try? JSONDecoder().decode(Head.self, from: Data(bytes)))?.format
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

    /// Takes the facts of a file that replaces this one, from which devices were erased.
    mutating func set(_ facts: FileFacts) {
        bytes = facts.bytes
        textBytes = facts.textBytes
        rows = facts.rows
        sha256 = Hexadecimal.text(facts.sha256)
        (devices, devicesComplete) = (nil, nil)
    }
}
