public import Postgres

/// What keeps an analyst in the private cluster, where we are the superuser and every other role is
/// an analyst.
///
/// **Walls**, which a role can't move: its rights (it may read the schema `analytics`, and neither
/// make tables, temporary ones or large objects, nor take advisory locks, nor write to the log);
/// the access rules of ``AnalystListener``; connections; temporary files; and the time of a
/// transaction, because this server ends the session (``guardAll(on:)``).
///
/// **Fences.** PostgreSQL lets a role change its own settings, for a session and for good, and lets
/// a member of a role remove that role's default privileges (`DROP OWNED BY sluice_reader`), so
/// that no analyst could read the views of later migrations. Both are repaired by the next call of
/// ``guardAll(on:)``. No limit bounds the memory and the processor time of a query, and nobody can
/// be forbidden to send NOTIFY: a forged one makes a node look for rows that are not there.
extension Analysts {
    /// How long a transaction of an analyst may take, with all its statements and pauses. A longer
    /// one would hold back vacuum, and migrations would wait for its locks.
    public static let transactionMax: Duration = .seconds(3600)
    /// Connections that analysts leave to others.
    private static let connectionsKept = 40

    /// Settings that no role is without for long.
    static let limits = settings.filter {
        ["statement_timeout", "idle_in_transaction_session_timeout", "lock_timeout"]
            .contains($0.key)
    }

    /// Rows of name and value, as SQL.
    static let limitValues = limits.sorted { $0.key < $1.key }
        .map { "('\($0.key)', '\($0.value)')" }.joined(separator: ", ")

    /// What ``Analysts/guardAll(on:)`` did.
    public struct Report: Sendable, Equatable {
        /// Statements that restored rights or settings.
        public var restored: [String] = []
        /// Sessions that were ended, by the name of their role.
        public var ended: [String] = []

        /// Nothing.
        public init() {}
    }

    /// Revokes from PUBLIC what only analysts would use, restores the rights and settings of
    /// analysts, and ends sessions with a transaction longer than ``transactionMax``.
    ///
    /// Only for the private cluster, as its superuser. Cheap, and writes only what has changed.
    @discardableResult
    public static func guardAll(
        on connection: Connection, transactionMax: Duration = transactionMax
    ) throws(PostgresError) -> Report {
        var report = Report()
        let changes = try connection.query(changesStatement)
        for row in 0..<changes.count {
            let statement = changes.string(row, 0)
            do throws(PostgresError) {
                try connection.execute("\(rightsLock) \(statement)")
                report.restored.append(statement)
            } catch {
                // A role that was dropped meanwhile.
                guard error.sqlState == "42704" else { throw error }
            }
        }
        let ended = try connection.query(
            """
            -- PostgreSQL may evaluate the conditions of one WHERE in any order.
            WITH late AS MATERIALIZED (
                SELECT pid, usename::text AS name FROM pg_catalog.pg_stat_activity
                WHERE xact_start < clock_timestamp() - \(transactionMax / .milliseconds(1)) * interval '1 ms'
                    AND pg_catalog.shobj_description(usesysid, 'pg_authid') = '\(mark)')
            SELECT name FROM late WHERE pg_catalog.pg_terminate_backend(pid)
            """)
        report.ended = (0..<ended.count).map { ended.string($0, 0) }
        return report
    }

    /// The statements that are needed now, one a row. `public` names PUBLIC.
    private static var changesStatement: String {
        """
        SELECT format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', p.oid::regprocedure)
        FROM pg_catalog.pg_proc p
        WHERE p.pronamespace = 'pg_catalog'::regnamespace
            AND (p.proname ~ '^pg_(try_)?advisory_' OR p.proname IN (
                'pg_logical_emit_message', 'lo_creat', 'lo_create', 'lo_from_bytea'))
            AND has_function_privilege('public', p.oid, 'EXECUTE')
        UNION ALL
        SELECT format('REVOKE CREATE ON SCHEMA %I FROM PUBLIC', n.nspname)
        FROM pg_catalog.pg_namespace n
        WHERE n.nspname = 'public' AND has_schema_privilege('public', n.oid, 'CREATE')
        UNION ALL
        SELECT format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', d.datname)
        FROM pg_catalog.pg_database d
        WHERE has_database_privilege('public', d.oid, 'TEMPORARY')
        UNION ALL
        SELECT format('REVOKE CONNECT ON DATABASE %I FROM PUBLIC', d.datname)
        FROM pg_catalog.pg_database d
        WHERE d.datname <> current_database()
            AND has_database_privilege('public', d.oid, 'CONNECT')
        UNION ALL
        -- Does not apply to superusers, but counts their connections.
        SELECT format('ALTER DATABASE %I CONNECTION LIMIT %s', d.datname,
            current_setting('max_connections')::int - \(connectionsKept))
        FROM pg_catalog.pg_database d
        WHERE d.datname = current_database() AND d.datconnlimit = -1
            AND current_setting('max_connections')::int > \(connectionsKept)
        UNION ALL
        SELECT 'SELECT sluice.grant_reader(''\(reader)'')'
        FROM pg_catalog.pg_namespace n
        WHERE n.nspname = 'analytics' AND to_regrole('\(reader)') IS NOT NULL
            AND to_regprocedure('sluice.grant_reader(name)') IS NOT NULL
            AND (NOT has_schema_privilege(to_regrole('\(reader)'), n.oid, 'USAGE')
                OR EXISTS (SELECT FROM pg_catalog.pg_class c
                    WHERE c.relnamespace = n.oid AND c.relkind IN ('r', 'v', 'm', 'p')
                        AND NOT has_table_privilege(to_regrole('\(reader)'), c.oid, 'SELECT')))
        UNION ALL
        SELECT format('ALTER ROLE %I SET %s = %L', r.rolname, s.name, s.value)
        FROM pg_catalog.pg_roles r
        CROSS JOIN (VALUES \(limitValues)) s (name, value)
        WHERE shobj_description(r.oid, 'pg_authid') = '\(mark)'
            AND NOT EXISTS (SELECT FROM pg_catalog.pg_db_role_setting d
                WHERE d.setrole = r.oid AND d.setdatabase = 0
                    AND s.name || '=' || s.value = ANY (d.setconfig))
        UNION ALL
        -- These take precedence over those of the role.
        SELECT format('ALTER ROLE %I IN DATABASE %I RESET ALL', r.rolname, b.datname)
        FROM pg_catalog.pg_db_role_setting d
        JOIN pg_catalog.pg_roles r ON r.oid = d.setrole
        JOIN pg_catalog.pg_database b ON b.oid = d.setdatabase
        WHERE shobj_description(r.oid, 'pg_authid') = '\(mark)'
            AND EXISTS (SELECT FROM unnest(d.setconfig) c
                WHERE split_part(c, '=', 1) IN (SELECT v.name FROM (VALUES \(limitValues))
                    v (name, value)))
        """
    }
}
