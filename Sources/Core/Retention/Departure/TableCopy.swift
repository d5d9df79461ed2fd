import Postgres
import Readings

/// Copies a table's rows into a file as CSV: a header, then one record a row.
///
/// `device_key` is first, so that `grep` finds a device's rows, then the device and its user in
/// words, then the other columns of the table. It reads back exactly: doubles have as many digits as
/// needed (−0 and denormals too), times have microseconds and their zone, numbers in jsonb stay
/// decimal, an empty text is quoted and NULL is not.
struct TableCopy {
    private let session: ArchiveSession
    /// The interval of calls of `progress`.
    private static let progressRows = 100_000

    init(_ session: ArchiveSession) {
        self.session = session
    }

    /// Columns that are not in the tables, which only the file has.
    static let ofDevice = ["device_id", "user_id"]

    /// The columns of the file, for the columns of a table.
    static func fileColumns(_ columns: [String]) -> [String] {
        ["device_key"] + ofDevice + columns.filter { $0 != "device_key" }
    }

    /// - Parameter columns: of the file.
    func copy(
        _ table: String, _ columns: [String], into writer: ArchiveWriter,
        progress: (Int) -> Void
    ) throws -> FileFacts {
        let connection = session.connection
        var failure: ArchiveError?
        // The header comes first.
        var rows = -1
        try session.expect(ArchiveSession.long)
        do throws(PostgresError) {
            let list = columns.map {
                (Self.ofDevice.contains($0) ? "d." : "r.") + ArchiveCatalog.quoted($0)
            }
            try connection.copyOut(
                """
                COPY (SELECT \(list.joined(separator: ", ")) FROM \(table) r
                    LEFT JOIN sluice.device d ON d.device_key = r.device_key)
                TO STDOUT (FORMAT csv, HEADER)
                """
            ) { row in
                guard failure == nil else { return }
                do throws(ArchiveError) {
                    try writer.append(row)
                } catch {
                    // Stops the server from sending the rest.
                    failure = error
                    connection.canceller.cancel()
                    return
                }
                rows += 1
                if rows.isMultiple(of: Self.progressRows) {
                    connection.deadline = .now + ArchiveSession.long
                    progress(rows)
                }
            }
        } catch {
            // After a cancel, the disk's error is the one to throw.
            if failure == nil { throw error }
        }
        if let failure { throw failure }
        progress(rows)
        return try writer.finish()
    }
}
