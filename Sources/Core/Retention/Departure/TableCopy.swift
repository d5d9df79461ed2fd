import Postgres
import Readings

/// Copies a table's rows into a file as text.
///
/// The text form of COPY: one row per line, tabs between columns, NULL as `\N`, special characters
/// escaped by a backslash. It reads back exactly: doubles have as many digits as needed (−0 and
/// denormals too), times have microseconds and their zone, numbers in jsonb stay decimal. People
/// can read it, `grep` finds a device's rows (a line begins with its key and a tab), and any
/// PostgreSQL accepts it.
struct TableCopy {
    private let session: ArchiveSession
    /// The interval of calls of `progress`.
    private static let progressRows = 100_000

    init(_ session: ArchiveSession) {
        self.session = session
    }

    func copy(
        _ table: String, _ columns: [String], into writer: ArchiveWriter,
        progress: (Int) -> Void
    ) throws -> FileFacts {
        let connection = session.connection
        var failure: ArchiveError?
        var rows = 0
        try session.expect(ArchiveSession.long)
        do throws(PostgresError) {
            try connection.copyOut(
                "COPY \(table) (\(ArchiveCatalog.list(columns))) TO STDOUT"
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
