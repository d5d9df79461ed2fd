import Postgres

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
                guard error.sqlState == Self.notSupported else { throw error }
                // A server that can't do it without: then for a moment, or not now.
                try session.expect(ArchiveSession.quick, lockWait: configuration.renameWaitMax)
                try connection.execute(detach)
            }
        }
    }

    private static let notSupported: SQLState = "0A000"
}
