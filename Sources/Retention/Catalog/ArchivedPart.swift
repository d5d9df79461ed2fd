import Postgres

/// A row of `sluice.archive`: one day of one table that left, or is about to.
public struct ArchivedPart: Sendable, Equatable {
    /// How far it is. The raw values are the table's.
    public enum State: String, Sendable, CaseIterable {
        /// Chosen, and perhaps detached.
        case leaving
        /// A table by itself.
        case detached
        /// Dropped.
        case gone
        /// Its rows are in the table again.
        case restored
        /// A later part holds its rows.
        case replaced
    }

    /// Table and day.
    public let partition: DayPartition
    /// From 1; a day that was brought back and leaves again gets the next one.
    public let part: Int
    /// In the manifest too.
    public let id: String
    /// How far it is.
    public let state: State
    /// nil: not counted yet.
    public let rows: Int?
    /// nil: there is none.
    public let file: String?
    /// Where the file was written, by which process.
    public let origin: String
    /// Where the file was written; nil: nowhere.
    let directory: String?
    /// By which process.
    let node: String?
    /// Size of the file.
    public let bytes: Int?
    /// Of the file.
    let sha256: [UInt8]?
    /// Of what was restored: microseconds since 2000-01-01; nil: not restored.
    public let keepUntil: Int64?

    /// What its partition is called once it is to leave.
    var leavingName: String { "leaving_\(part)_\(partition.name)" }
}

extension ArchivedPart {
    static let columns = """
        kind, day, part, id::text, state, rows, file,
        coalesce(directory, '') || coalesce(' on ' || node, ''), bytes, sha256, keep_until,
        directory, node
        """

    init(_ rows: Rows, _ row: Int) {
        guard let kind = RetainedKind(rawValue: rows.string(row, 0)),
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
    }
}
