import Glibc
public import Postgres
import Readings
import Schema

extension DatabaseFacts {
    /// Settings that the rules use.
    private static let settingNames = [
        "archive_mode", "autovacuum", "autovacuum_freeze_max_age", "checkpoint_completion_target",
        "checkpoint_timeout", "data_checksums", "fsync", "full_page_writes", "max_connections",
        "max_locks_per_transaction", "max_prepared_transactions", "max_wal_size", "shared_buffers",
        "superuser_reserved_connections", "synchronous_commit",
        "wal_compression", "wal_level",
    ]

    /// Queries the server, also with the questions of all checks; changes nothing. Values that this
    /// role may not read, or that this version does not have, are omitted.
    ///
    /// - Throws: if the connection is lost, or the server rejects even a basic query.
    public static func gather(
        on connection: Connection, daysAhead: Int
    ) throws(PostgresError) -> DatabaseFacts {
        var facts = DatabaseFacts(
            version: Int(connection.serverVersion), binaryVersion: Schema.migrations.count)
        facts.isPooled = connection.isPooled
        // A locked table must not block the examination.
        try connection.execute("set lock_timeout = '2s'; set statement_timeout = '20s'")
        let interview = Interview(connection: connection, daysAhead: daysAhead)
        try facts.askServer(interview)
        try facts.askSettings(connection)
        for check in Check.all where !check.needsTables || facts.schemaVersion != nil {
            try check.question?(&facts, interview)
        }
        return facts
    }

    private mutating func askServer(_ interview: Interview) throws(PostgresError) {
        let connection = interview.connection
        let rows = try connection.query(
            """
            select current_database()::text, current_user::text, r.rolsuper,
                has_database_privilege(current_database(), 'CREATE'), r.rolcreaterole,
                pg_has_role('pg_monitor', 'MEMBER'),
                (select pg_has_role(n.nspowner, 'USAGE') from pg_namespace n
                 where n.nspname = 'sluice'),
                pg_is_in_recovery(),
                inet_server_addr() is not null and inet_server_addr() <> inet_client_addr(),
                coalesce((select s.ssl from pg_stat_ssl s where s.pid = pg_backend_pid()), false),
                (select count(*) from pg_stat_activity where backend_type = 'client backend'),
                exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace
                    where n.nspname = 'sluice' and c.relname = 'migration')
            from pg_roles r where r.rolname = current_user
            """)
        guard rows.count == 1 else { return }
        name = rows.string(0, 0)
        role = rows.string(0, 1)
        isSuperuser = rows.bool(0, 2)
        createsSchemas = rows.bool(0, 3)
        createsRoles = rows.bool(0, 4)
        monitors = rows.bool(0, 5)
        ownsSchema = rows.isNull(0, 6) ? nil : rows.bool(0, 6)
        isStandby = rows.bool(0, 7)
        isRemote = rows.bool(0, 8)
        isEncrypted = rows.bool(0, 9)
        connectionsInUse = Int(rows.int64(0, 10))
        if rows.bool(0, 11),
            let steps = try interview.ask(Migrator.versionQuery)
        {
            schemaVersion = Int(steps.int32(0, 0))
            toleratesSchema = (try? Migrator.demandCurrent(on: connection)) != nil
        }
    }

    /// The fastest of five queries gives the smallest error.
    mutating func askClock(_ connection: Connection) throws(PostgresError) {
        func now() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_REALTIME, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        var shortest = Double.infinity
        for _ in 1...5 {
            let before = now()
            let rows = try connection.query("select clock_timestamp()")
            let after = now()
            guard after - before < shortest, after >= before else { continue }
            shortest = after - before
            // Seconds from 1970 to 2000.
            let server = Double(rows.timestamp(0, 0)) / 1e6 + 946_684_800
            clockSkewSeconds = server - (before + after) / 2
            clockErrorSeconds = shortest / 2
        }
    }

    /// The values set for the server, database and role; our session has overruled some of them.
    private mutating func askSettings(_ connection: Connection) throws(PostgresError) {
        var parameters = Parameters()
        parameters.append(texts: Self.settingNames.map(Optional.some))
        let rows = try connection.query(
            """
            select name::text, reset_val, coalesce(unit, '')::text, context = 'postmaster'
            from pg_settings where name = any ($1)
            """, parameters)
        for row in 0..<rows.count where !rows.isNull(row, 1) {
            settings[rows.string(row, 0)] = ServerSetting(
                rows.string(row, 1), unit: rows.string(row, 2), needsRestart: rows.bool(row, 3))
        }
    }
}
