import Glibc
import Postgres
import Readings

/// A row of `sluice.archive`: one partition that left or is leaving.
public struct ArchivedPart: Sendable, Equatable {
    /// The progress of a part. The raw values are those of the table.
    public enum State: String, Sendable, CaseIterable {
        /// Chosen; may be detached already.
        case leaving
        /// A separate table.
        case detached
        /// Dropped.
        case gone
        /// Its rows are in the table again.
        case restored
        /// A later part holds its rows.
        case replaced
    }

    /// The table and the first day.
    public let partition: DayPartition
    /// The last day.
    let lastDay: Day
    /// Counts from 1; a restored day that leaves again gets the next number.
    public let part: Int
    /// Also in the manifest.
    public let id: String
    /// How far the part has left.
    public let state: State
    /// Nil: not counted yet.
    public let rows: Int?
    /// The name of the file; nil: there is none.
    public let file: String?
    /// The file's directory and node, for people.
    public let origin: String
    /// The file's directory; nil: there is no file.
    let directory: String?
    /// The node that wrote the file.
    let node: String?
    /// The size of the file.
    public let bytes: Int?
    /// The SHA-256 of the file.
    let sha256: [UInt8]?
    /// Until when a restored day stays: microseconds since 2000-01-01; nil: not restored.
    public let keepUntil: Int64?

    /// The name of its partition while it leaves.
    var leavingName: String { "leaving_\(part)_\(partition.name)" }
}

extension ArchivedPart {
    static let columns = """
        kind, day, part, id::text, state, rows, file,
        coalesce(directory, '') || coalesce(' on ' || node, ''), bytes, sha256, keep_until,
        directory, node, day + sluice.partition_days() - 1
        """

    init(_ rows: Rows, _ row: Int) {
        guard let kind = DayTable(rawValue: rows.string(row, 0)),
            let state = State(rawValue: rows.string(row, 4))
        else { preconditionFailure("BUG: a row of sluice.archive that its checks forbid") }
        partition = DayPartition(kind, Day(number: rows.int32(row, 1)))
        part = Int(rows.int32(row, 2))
        id = rows.string(row, 3)
        self.state = state
        self.rows = rows.isNull(row, 5) ? nil : Int(rows.int64(row, 5))
        file = rows.isNull(row, 6) ? nil : rows.string(row, 6)
        origin = rows.string(row, 7)
        bytes = rows.isNull(row, 8) ? nil : Int(rows.int64(row, 8))
        sha256 = rows.isNull(row, 9) ? nil : Array(rows.bytes(row, 9))
        keepUntil = rows.isNull(row, 10) ? nil : rows.timestamp(row, 10)
        directory = rows.isNull(row, 11) ? nil : rows.string(row, 11)
        node = rows.isNull(row, 12) ? nil : rows.string(row, 12)
        lastDay = Day(number: rows.int32(row, 13))
    }
}
