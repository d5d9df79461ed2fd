/// The result of an erasure or of a dry run.
public struct ErasureReport: Sendable, Equatable, Codable {
    /// True if nothing was removed.
    public var isDryRun: Bool
    /// Tables that contain rows of the user.
    public var tables: [TableCount] = []
    /// Number of the user's devices.
    public var devices = 0
    /// Devices that stay registered, because something of theirs could not be searched.
    public var devicesLeft = 0
    /// Contents of uploaded files.
    public var files = FileCount()
    /// Files of archived days.
    public var archives = ArchiveCount()
    /// Tables and files that could not be changed, with the reason. They may still hold data of the
    /// user; everything else was processed.
    public var failures: [String] = []
    /// Number of passes over all tables.
    public var passes = 0
    /// The last pass found nothing. In a dry run: there is nothing to remove.
    public var isComplete = false
    /// The erasure's number in `sluice.erasure`; nil for a dry run.
    public var number: Int64?

    /// Rows of all tables.
    public var rows: Int { tables.reduce(0) { $0 + $1.rows } }
    /// Bytes of all rows.
    public var bytes: Int { tables.reduce(0) { $0 + $1.bytes } }

    init(isDryRun: Bool) { self.isDryRun = isDryRun }

    /// Counts rows of a table; keeps the order in which the tables are processed.
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
