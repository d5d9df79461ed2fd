/// Prepares a session so that Sluice can rely on it, for lanes and pools alike.
///
/// **Settings** are set in the session itself, in one statement: a later reload of the server's
/// configuration or a change of the role's settings does not affect them.
///
/// **Durability.** A 200 promises that the data is on disk, also on standbys if the server is
/// configured to wait for them. If `synchronous_commit` is `off` or `local`, wherever that was set,
/// it is overruled; a stricter value is kept for as long as the session lives. Warnings are always
/// enabled: one of them says that a COMMIT did not wait.
///
/// **Poolers.** A session behind a pooler in session mode is as good as any. A pooler that gives
/// each transaction any of its sessions (PgBouncer's `pool_mode` `transaction` and `statement`) is
/// refused: settings, LISTEN and prepared statements are lost there. Sluice detects it by the
/// backend that answers. Without a pooler, the backend that answers is the one that greeted libpq,
/// and nothing else is asked. Otherwise two connections are asked for their backends in turn: an
/// exclusive session always answers from the same backend, and no other connection ever answers
/// from that one. Shared sessions show in the first turn if there are no other clients: PgBouncer
/// takes the session that was returned last (the other connection gets ours) or first (we get
/// another). Further turns are needed when other clients interfere. An exclusive session is never
/// refused.
extension Connection {
    /// Turns after which a session counts as exclusive.
    private static let turns = 5
    /// Limit for the second connection, because a pool in session mode may have no session left.
    private static let otherMax: Duration = .seconds(1)

    /// Makes a new connection ready for use.
    ///
    /// - Throws: `.sessionsShared`, or the error of a statement.
    func beginSession(_ settings: ConnectionSettings) throws(PostgresError) {
        let greeted = greetedID
        backendID = try apply(settings.sessionSettings(behindPooler: false), inBackend: greeted)
        guard backendID != greeted else { return }
        try demandOwnBackend(settings)
        isPooled = true
        // Statements of another client, if the pooler is configured not to clean up after it.
        try execute("DEALLOCATE ALL")
        _ = try apply(settings.sessionSettings(behindPooler: true), inBackend: backendID)
    }

    /// Applies the session's settings if `backend` serves it.
    ///
    /// - Returns: the process id of the backend that serves it.
    private func apply(
        _ settings: [(name: String, value: String)], inBackend backend: Int32
    ) throws(PostgresError) -> Int32 {
        var parameters = Parameters()
        parameters.append(int4: backend)
        parameters.append(
            texts: settings.map(\.name) + ["synchronous_commit", "client_min_messages"])
        // These two have no value: they come last and depend on the present value.
        parameters.append(texts: settings.map(\.value) + [nil, nil])
        return try query(Self.settingsStatement, parameters).int32(0, 0)
    }

    private static let settingsStatement = """
        SELECT pg_catalog.pg_backend_pid(), (
            SELECT pg_catalog.count(pg_catalog.set_config(name, coalesce(value,
                CASE WHEN pg_catalog.current_setting(name) IN ('off', 'local') THEN 'on'
                WHEN pg_catalog.current_setting(name) = 'error' THEN 'warning'
                ELSE pg_catalog.current_setting(name) END), false))
            FROM unnest($2::text[], $3::text[]) AS s (name, value)
            WHERE pg_catalog.pg_backend_pid() = $1)
        """

    // MARK: Poolers

    /// The backend that serves a connection. A process id is unique on one server only.
    private struct Backend: Equatable {
        let id: Int32
        let serverStart: Int64
    }

    private func askBackend() throws(PostgresError) -> Backend {
        let rows = try query(
            "SELECT pg_catalog.pg_backend_pid(), pg_catalog.pg_postmaster_start_time()")
        return Backend(id: rows.int32(0, 0), serverStart: rows.timestamp(0, 1))
    }

    private func demandOwnBackend(_ settings: ConnectionSettings) throws(PostgresError) {
        let own = try askBackend()
        var isOwn = own.id == backendID
        var other: Connection?
        defer { other?.close() }
        for _ in 1...Self.turns where isOwn {
            // Asked twice in a row: with two sessions that alternate, we would always get the
            // first.
            isOwn = try askBackend() == own
            let end = min(deadline, .now + Self.otherMax)
            if other == nil { other = try? Self.connect(settings, deadline: end) }
            other?.deadline = end
            let others = try? other?.askBackend()
            isOwn = try askBackend() == own && others != own && isOwn
        }
        guard !isOwn else { return }
        // Statement mode refuses BEGIN.
        let mode = (try? execute("BEGIN")) != nil ? "transaction" : "statement"
        throw PostgresError(
            .sessionsShared,
            message: "a connection pooler in \(mode) mode "
                + "answers for PostgreSQL, and sluice needs whole sessions: set pool_mode = session "
                + "there, or let SLUICE_DATABASE_URL lead to PostgreSQL itself")
    }
}
