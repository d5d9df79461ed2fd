/// What an erasure has done, or what it would do.
public struct ErasureReport: Sendable, Equatable, Codable {
    /// Nothing was removed.
    public var isDryRun: Bool
    /// Tables with rows of the user.
    public var tables: [TableCount] = []
    /// Devices of the user's.
    public var devices = 0
    /// Uploaded files.
    public var files = FileCount()
    /// Files of days that left the tables.
    public var archives = ArchiveCount()
    /// How often all tables were gone through.
    public var passes = 0
    /// The last pass found nothing any more. Of a dry run: there is nothing.
    public var isComplete = false
    /// The erasure's number in `sluice.erasure`; nil for a dry run.
    public var number: Int64?

    /// Rows of all tables.
    public var rows: Int { tables.reduce(0) { $0 + $1.rows } }
    /// Bytes of all rows.
    public var bytes: Int { tables.reduce(0) { $0 + $1.bytes } }

    init(isDryRun: Bool) { self.isDryRun = isDryRun }

    /// Counts rows of a table, keeping the order in which tables are gone through.
    mutating func count(_ table: String, rows: Int, bytes: Int) {
        guard rows > 0 else { return }
        if let place = tables.firstIndex(where: { $0.table == table }) {
            tables[place].rows += rows
            tables[place].bytes += bytes
        } else {
            var count = TableCount(table)
            (count.rows, count.bytes) = (rows, bytes)
            tables.append(count)
        }
    }
}
