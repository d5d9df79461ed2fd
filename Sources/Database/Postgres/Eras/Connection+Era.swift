extension Connection {
    /// The setting of the database that counts what operators have accepted.
    private static let acceptedSetting = "sluice.accepted"

    /// Which history the server writes. One round trip.
    ///
    /// - Returns: nil for a standby, which writes none.
    /// - Throws: `.refused` with 42501 and the right that is missing.
    public func readEra() throws(PostgresError) -> Era? {
        let rows = try query(Self.eraStatement)
        guard !rows.isNull(0, 0) else { return nil }
        return Era(
            systemID: try systemID(), timeline: UInt32(bitPattern: rows.int32(0, 0)),
            position: UInt64(bitPattern: rows.int64(0, 1)),
            accepted: Int(rows.string(0, 2)) ?? 0)
    }

    /// On a server that was just promoted `pg_control_checkpoint()` still has the timeline of before;
    /// the name of the segment that is written has the new one.
    private static let eraStatement = """
        SELECT CASE WHEN NOT pg_catalog.pg_is_in_recovery() THEN
                ('x' || pg_catalog.substr(pg_catalog.pg_walfile_name(
                    pg_catalog.pg_current_wal_insert_lsn()), 1, 8))::bit(32)::int4 END,
            CASE WHEN NOT pg_catalog.pg_is_in_recovery() THEN
                (pg_catalog.pg_current_wal_flush_lsn() - '0/0'::pg_lsn)::int8 END,
            coalesce(nullif(pg_catalog.current_setting('\(acceptedSetting)', true), ''), '0')
        """

    /// Managed services may hide it: the timeline has to do then.
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

    /// Checks the server against what is known, and notes it.
    ///
    /// - Throws: `.eraRefused`. A standby is none of those to write to, and is not looked at.
    func enterEra(_ book: EraBook) throws(PostgresError) {
        let asked = book.known
        guard let era = try readEra() else { return }
        try book.admit(era, knownWhenAsked: asked)
        (self.book, generation) = (book, book.generation(of: era))
    }

    /// The history has changed since this session began: it may lead to a server of the one before.
    public var isOutdated: Bool { book.map { $0.generation != generation } ?? false }

    /// Makes this server the one to write to for all nodes: they take it at their next session.
    ///
    /// The role must own the database and may set the parameter. PostgreSQL lets none but superusers
    /// keep a parameter that it does not know, or, from 15 on, whom they have granted it.
    /// - Returns: what was accepted.
    /// - Throws: `.refused` with 42501 and the statement that mends it.
    public func accept(into book: EraBook) throws(PostgresError) -> Era {
        guard var era = try readEra() else {
            throw PostgresError(.refused, message: "this server is a standby: promote it first")
        }
        era.accepted = max(era.accepted, book.known?.accepted ?? 0) + 1
        do throws(PostgresError) {
            try execute(
                """
                DO $$ BEGIN EXECUTE pg_catalog.format('ALTER DATABASE %I SET \(Self.acceptedSetting) = %L',
                    pg_catalog.current_database(), '\(era.accepted)'); END $$
                """)
        } catch {
            guard error.sqlState == "42501", error.message.contains(Self.acceptedSetting) else {
                throw error
            }
            throw PostgresError(
                .refused, sqlState: error.sqlState,
                message: "\(error.message); let a superuser run: \(try remedy(era.accepted))")
        }
        try book.accept(era)
        return era
    }

    /// A right that lets the role do it; or, in 14, which has no such right, the deed itself.
    private func remedy(_ accepted: Int) throws(PostgresError) -> String {
        let setting = Self.acceptedSetting
        let words =
            serverVersion < 150_000
            ? "'ALTER DATABASE %I SET \(setting) = \(accepted)', pg_catalog.current_database()"
            : "'GRANT SET ON PARAMETER \(setting) TO %I', current_user"
        return try query("SELECT pg_catalog.format(\(words))").string(0, 0)
    }
}
