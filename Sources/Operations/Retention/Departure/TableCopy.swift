import Postgres
import Readings

/// Copies a table's rows, as text, into a file.
///
/// The text form of COPY: one row a line, columns with tabs between them, NULL as `\N`, and
/// whatever could be mistaken behind a backslash. It reads back bit by bit: doubles are written
/// with as many digits as it takes (−0 and denormals too), times to the microsecond with their
/// zone, numbers in jsonb as the decimals they are. So people can read it, `grep` finds one
/// device's rows (its key and a tab begin the line), and any PostgreSQL takes it.
struct TableCopy {
    private let session: ArchiveSession
    /// Between two calls of `progress`.
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
                    // The server need not send the rest.
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
            // Cancelled for the disk's sake: then its error is the one to tell.
            if failure == nil { throw error }
        }
        if let failure { throw failure }
        progress(rows)
        return try writer.finish()
    }
}

/// Takes a partition off its table without a lock that others notice.
///
/// `DETACH … CONCURRENTLY` takes SHARE UPDATE EXCLUSIVE on the parent, marks the partition, and
/// then waits for the transactions that know it, holding nothing. If that takes too long the mark
/// stays, the rows are not seen any more, and a later FINALIZE completes it.
struct Detachment {
    private let session: ArchiveSession
    private let configuration: RetentionConfiguration

    init(_ session: ArchiveSession, _ configuration: RetentionConfiguration) {
        self.session = session
        self.configuration = configuration
    }

    func detach(_ part: ArchivedPart) throws(PostgresError) {
        let connection = session.connection
        let detach =
            "ALTER TABLE sluice.\(part.partition.kind.rawValue) DETACH PARTITION "
            + "sluice_partitions.\(ArchiveCatalog.quoted(part.leavingName))"
        try session.expect(ArchiveSession.quick)
        switch try ArchiveCatalog.attachment(of: part, on: connection) {
        case .detached: return
        case .pending:
            try session.expect(ArchiveSession.long, lockWait: configuration.detachWaitMax)
            try connection.execute(detach + " FINALIZE")
        case .attached:
            try session.expect(ArchiveSession.long, lockWait: configuration.detachWaitMax)
            do throws(PostgresError) {
                try connection.execute(detach + " CONCURRENTLY")
            } catch {
                guard Self.notSupported.contains(error.sqlState) else { throw error }
                try detachForAMoment(detach)
            }
        }
    }

    /// For a server that can't do it concurrently, as those of Citus: whoever writes to the parent
    /// waits for a moment, or the day does not leave now. Nodes of a cluster wait no longer than the
    /// coordinator, if they are told.
    private func detachForAMoment(_ detach: String) throws(PostgresError) {
        let wait = configuration.renameWaitMax
        try session.expect(ArchiveSession.quick, lockWait: wait)
        // One by one: Citus hands on the text of what is run together.
        for statement in [
            "BEGIN", "SET LOCAL citus.propagate_set_commands = 'local'",
            "SET LOCAL lock_timeout = '\(Int(wait / .milliseconds(1)))ms'", detach, "COMMIT",
        ] { try session.connection.execute(statement) }
    }

    /// Citus has no code of its own for it.
    private static let notSupported: [SQLState?] = ["0A000", "XX000"]
}
