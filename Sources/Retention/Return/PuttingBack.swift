import Postgres

/// Turns round a day that has begun to leave and is not in a file yet.
struct PuttingBack {
    private let session: ArchiveSession

    init(_ session: ArchiveSession) {
        self.session = session
    }

    func putBack(_ part: ArchivedPart, keep: Duration) throws {
        let connection = session.connection
        let parent = "sluice.\(part.partition.kind.rawValue)"
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
            if attachment == .detached {
                let day = part.partition.day
                // The check that detaching has left spares a scan. It stays, and says what is so
                // anyway.
                try connection.execute(
                    """
                    ALTER TABLE \(parent) ATTACH PARTITION \(leaving)
                        FOR VALUES FROM ('\(day.text) 00:00:00+00')
                        TO ('\(Day(number: day.number + 1).text) 00:00:00+00')
                    """)
            }
            try connection.execute(
                """
                ALTER TABLE \(leaving) RENAME TO \(ArchiveCatalog.quoted(part.partition.name))
                """)
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
