import Postgres
import Readings

/// Detaches a partition without blocking readers and writers of its table.
///
/// `DETACH … CONCURRENTLY` takes SHARE UPDATE EXCLUSIVE on the parent, marks the partition, and
/// then waits without locks for the transactions that use it. After a timeout the mark stays,
/// queries don't see the rows, and a later FINALIZE completes the detachment.
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

    /// For servers that can't detach concurrently, such as Citus: writers of the parent wait
    /// briefly, or the day does not leave now. The lock timeout applies to a cluster's nodes too.
    private func detachForAMoment(_ detach: String) throws(PostgresError) {
        let wait = configuration.renameWaitMax
        try session.expect(ArchiveSession.quick, lockWait: wait)
        // One at a time: Citus forwards the text of statements that are run together.
        for statement in [
            "BEGIN", "SET LOCAL citus.propagate_set_commands = 'local'",
            "SET LOCAL lock_timeout = '\(Int(wait / .milliseconds(1)))ms'", detach, "COMMIT",
        ] { try session.connection.execute(statement) }
    }

    /// Citus reports it without a code of its own.
    private static let notSupported: [SQLState?] = ["0A000", "XX000"]
}
