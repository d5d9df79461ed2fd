extension Connection {
    /// The database's setting that counts the acceptances of operators.
    private static let acceptedSetting = "sluice.accepted"

    /// Reads which history the server writes.
    ///
    /// - Returns: nil for a standby, which writes none.
    /// - Throws: `.refused` with 42501 when a right is missing.
    public func readEpoch() throws(PostgresError) -> Epoch? {
        let rows = try query(Self.epochStatement)
        guard !rows.isNull(0, 0) else { return nil }
        let accepted = rows.string(0, 2).split(separator: " ")
        return Epoch(
            systemID: try systemID(),
            database: Epoch.Database(
                id: UInt32(truncatingIfNeeded: rows.int64(0, 4)), name: rows.string(0, 5)),
            timeline: UInt32(bitPattern: rows.int32(0, 0)),
            position: UInt64(bitPattern: rows.int64(0, 1)),
            accepted: accepted.first.flatMap { Int($0) } ?? 0,
            instead: accepted.count > 1 ? String(accepted[1]) : "",
            mark: rows.bool(0, 3) ? try readMark() : nil)
    }

    private func readMark() throws(PostgresError) -> Epoch.Mark? {
        Self.mark(try query("SELECT tableoid::int8, number FROM sluice.epoch_mark"))
    }

    private static func mark(_ rows: Rows) -> Epoch.Mark? {
        guard rows.count == 1 else { return nil }
        return Epoch.Mark(
            table: UInt32(truncatingIfNeeded: rows.int64(0, 0)), number: Int(rows.int64(0, 1)))
    }

    /// Raises the mark in the database, if it has one.
    ///
    /// Does not wait for standbys: a standby that takes over begins its own timeline.
    /// - Parameter epoch: the server's epoch, as this session has read it.
    /// - Returns: the new mark; nil if there is none.
    func raiseMark(of epoch: Epoch) throws(PostgresError) -> Epoch.Mark? {
        guard epoch.mark != nil else { return nil }
        try execute("BEGIN; SET LOCAL synchronous_commit = local")
        let rows = try query(
            "UPDATE sluice.epoch_mark SET number = number + 1 RETURNING tableoid::int8, number")
        try execute("COMMIT")
        return Self.mark(rows)
    }

    /// On a server that was just promoted, `pg_control_checkpoint()` still has the old timeline;
    /// the name of the current WAL segment has the new one.
    private static let epochStatement = """
        SELECT CASE WHEN NOT pg_catalog.pg_is_in_recovery() THEN
                ('x' || pg_catalog.substr(pg_catalog.pg_walfile_name(
                    pg_catalog.pg_current_wal_insert_lsn()), 1, 8))::bit(32)::int4 END,
            CASE WHEN NOT pg_catalog.pg_is_in_recovery() THEN
                (pg_catalog.pg_current_wal_flush_lsn() - '0/0'::pg_lsn)::int8 END,
            coalesce(nullif(pg_catalog.current_setting('\(acceptedSetting)', true), ''), '0'),
            EXISTS (SELECT FROM pg_catalog.pg_class c
                JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
                WHERE n.nspname = 'sluice' AND c.relname = 'epoch_mark'
                    AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')
                    AND pg_catalog.has_table_privilege(c.oid, 'SELECT')),
            d.oid::int8, pg_catalog.regexp_replace(d.datname, '[[:cntrl:]]', '?', 'g')
        FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database()
        """

    /// Empty when the server does not tell it, as managed services may; then only the timeline is
    /// compared.
    private func systemID() throws(PostgresError) -> String {
        do throws(PostgresError) {
            return try query(
                "SELECT system_identifier::text FROM pg_catalog.pg_control_system()"
            ).string(0, 0)
        } catch {
            guard error.kind == .refused, isOpen else { throw error }
            return ""
        }
    }

    /// Checks the server against the known epoch, and notes its epoch. Standbys are not checked,
    /// because nothing is written to them.
    ///
    /// - Throws: `.epochRefused`.
    func enterEra(_ book: EpochFence) throws(PostgresError) {
        let asked = book.known
        guard let epoch = try readEpoch() else { return }
        try book.admit(epoch, knownWhenAsked: asked)
        (self.book, generation) = (book, book.generation(of: epoch))
    }

    /// The history has changed since this session began: its server may belong to the old one.
    public var isOutdated: Bool { book.map { $0.generation != generation } ?? false }

    /// Makes this the server that all nodes write to, from their next session on.
    ///
    /// The role must own the database and be allowed to set the parameter. PostgreSQL lets only
    /// superusers store an unknown parameter and, from 15 on, roles to which that was granted.
    /// - Returns: the accepted epoch.
    /// - Throws: `.refused`: for a standby, or with 42501 and the statement that grants the right.
    public func accept(into book: EpochFence) throws(PostgresError) -> Epoch {
        guard var epoch = try readEpoch() else {
            throw PostgresError(.refused, message: "this server is a standby: promote it first")
        }
        epoch.accepted = max(epoch.accepted, book.known?.accepted ?? 0) + 1
        epoch.instead = book.known?.identity ?? ""
        do throws(PostgresError) {
            try execute(
                """
                DO $$ BEGIN EXECUTE pg_catalog.format('ALTER DATABASE %I SET \(Self.acceptedSetting) = %L',
                    pg_catalog.current_database(), '\(epoch.acceptance)'); END $$
                """)
        } catch {
            guard error.sqlState == "42501", error.message.contains(Self.acceptedSetting) else {
                throw error
            }
            throw PostgresError(
                .refused, sqlState: error.sqlState,
                message: "\(error.message); let a superuser run: \(try remedy(epoch.acceptance))")
        }
        try book.accept(epoch)
        return epoch
    }

    /// The statement that grants the right; in 14, which has no such right, the one that stores the
    /// parameter.
    private func remedy(_ acceptance: String) throws(PostgresError) -> String {
        let setting = Self.acceptedSetting
        let words =
            serverVersion < 150_000
            ? "'ALTER DATABASE %I SET \(setting) = %L', pg_catalog.current_database(), '\(acceptance)'"
            : "'GRANT SET ON PARAMETER \(setting) TO %I', current_user"
        return try query("SELECT pg_catalog.format(\(words))").string(0, 0)
    }
}
