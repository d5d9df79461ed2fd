import Postgres
import Readings

/// Puts back a day that has begun to leave but has not been dropped.
struct PuttingBack {
    private let session: ArchiveSession

    init(_ session: ArchiveSession) {
        self.session = session
    }

    func putBack(_ part: ArchivedPart, keep: Duration) throws {
        let connection = session.connection
        let leaving = "sluice_partitions.\(ArchiveCatalog.quoted(part.leavingName))"
        try session.expect(ArchiveSession.quick)
        var attachment = try ArchiveCatalog.attachment(of: part, on: connection)
        if attachment == .pending {
            try Detachment(session, RetentionConfiguration()).detach(part)
            attachment = .detached
        }
        connection.deadline = .now + ArchiveSession.quick
        try connection.transaction {
            try session.expect(ArchiveSession.long)
            try connection.execute(
                """
                ALTER TABLE \(leaving) RENAME TO \(ArchiveCatalog.quoted(part.partition.name))
                """)
            if attachment == .detached {
                // Detaching left a check constraint, which spares a scan. It may stay: the bounds
                // imply it.
                try connection.query(
                    "SELECT sluice.attach_day_table($1, $2)",
                    ArchiveCatalog.key(of: part.partition))
            }
            var parameters = ArchiveCatalog.key(of: part)
            parameters.append(int8: keep.components.seconds)
            try connection.query(
                """
                UPDATE sluice.archive
                SET state = 'restored', changed_at = now(),
                    keep_until = now() + $4 * interval '1 second'
                WHERE kind = $1 AND day = $2 AND part = $3
                """, parameters)
        }
    }
}
