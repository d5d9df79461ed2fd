/// What makes a session one that Sluice can rely on, lanes' and pools' alike.
///
/// **Settings** are set in the session itself, in one statement: neither a reload of the server's
/// configuration nor a change of the role's reaches a session that has its own.
///
/// **Durability.** A 200 promises that the data is on disk, and as far as the server was told to wait
/// for standbys, there too. Where `synchronous_commit` is `off` or `local`, whoever said so, it is
/// overruled; a stricter value is kept for as long as the session lives. Warnings are always let
/// through: one of them says that a COMMIT did not wait.
///
/// **Poolers.** A session behind one that keeps sessions together is as good as any. One that gives
/// each transaction a session of its choice (PgBouncer's `pool_mode` `transaction` and `statement`)
/// is refused: settings, LISTEN and prepared statements do not hold there. Such a pooler is found out
/// by who answers. Without one, libpq was greeted by the backend itself, and nothing else is asked.
/// With one, two connections are asked for their backends in turn: a session that is ours alone
/// always answers from the same backend, and no other connection ever does from that one. Shared ones
/// give themselves away in the first turn when nobody else is there: PgBouncer takes the session that
/// was given back last (the other connection gets ours) or first (we get another), and the further
/// turns are for those whom others interrupt. A session that is our own is never refused.
extension Connection {
    /// Turns in which sessions that are shared must have shown it.
    private static let turns = 5
    /// For the second connection, when a pool that keeps sessions has none to give.
    private static let otherMax: Duration = .seconds(1)

    /// Makes a connection that was just established ready for use.
    ///
    /// - Throws: `.sessionsShared`, or why a statement failed.
    func beginSession(_ settings: ConnectionSettings) throws(PostgresError) {
        let greeted = greetedID
        backendID = try apply(settings.sessionSettings(behindPooler: false), inBackend: greeted)
        guard backendID != greeted else { return }
        try demandOwnBackend(settings)
        isPooled = true
        // Another client's, where the pooler was told not to clean up behind it.
        try execute("DEALLOCATE ALL")
        _ = try apply(settings.sessionSettings(behindPooler: true), inBackend: backendID)
    }

    /// Sets what every session has, if it is this backend's.
    ///
    /// - Returns: whose it is.
    private func apply(
        _ settings: [(name: String, value: String)], inBackend backend: Int32
    ) throws(PostgresError) -> Int32 {
        var parameters = Parameters()
        parameters.append(int4: backend)
        parameters.append(
            texts: settings.map(\.name) + ["synchronous_commit", "client_min_messages"])
        // Without a value: last, and by what it is now.
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

    /// Who serves a connection: a process id says so on one server only.
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
            // Twice in a row: with two sessions that take turns, we would always get the first.
            isOwn = try askBackend() == own
            let end = min(deadline, .now + Self.otherMax)
            if other == nil { other = try? Self.connect(settings, deadline: end) }
            other?.deadline = end
            let others = try? other?.askBackend()
            isOwn = try askBackend() == own && others != own && isOwn
        }
        guard !isOwn else { return }
        // Statement mode takes no BEGIN.
        let mode = (try? execute("BEGIN")) != nil ? "transaction" : "statement"
        throw PostgresError(
            .sessionsShared,
            message: "a connection pooler in \(mode) mode "
                + "answers for PostgreSQL, and sluice needs whole sessions: set pool_mode = session "
                + "there, or let DATABASE_URL lead to PostgreSQL itself")
    }
}
