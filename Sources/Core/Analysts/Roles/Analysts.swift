import Postgres
import Readings

/// Database roles for analysts. Each role may log in and is a member of `sluice_reader`, which may
/// read the schema `analytics` and nothing else.
///
/// A role starts read-only, with limits that keep a careless query from slowing down ingestion: 8
/// connections, 5 minutes a statement, 5 minutes of an idle transaction (which would hold back
/// VACUUM), and 10 GiB of temporary files if we are a superuser. A role may change the time limits,
/// for a session or for good; that gives it no rights. In the private cluster ``guardAll(on:)``
/// restores them and ends transactions that take too long. No limit counts temporary tables and
/// large objects, so a role is denied them where nobody else uses the database (``AnalystGap``).
///
/// Roles belong to the whole server, not to a database. Ours are recognized by their comment. Each
/// call is one transaction or changes nothing, except ``drop(_:on:)``.
public enum Analysts {
    /// The group role that has the read rights.
    public static let reader = "sluice_reader"
    /// Simultaneous connections of one role.
    public static let connectionsMax = 8

    static let mark = "Analyst of Sluice"

    /// Rights are changed by one session at a time: PostgreSQL ends the other one with XX000, "tuple
    /// concurrently updated". Until the end of the transaction.
    static let rightsLock =
        "SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('sluice.rights', 0));"

    /// Initial settings of a role. With this `search_path`, `select * from gps` works.
    static let settings = [
        "default_transaction_read_only": "on",
        "statement_timeout": "5min",
        "idle_in_transaction_session_timeout": "5min",
        "lock_timeout": "10s",
        "search_path": "analytics",
        // A plan has a node for each day: compiling it costs seconds and saves milliseconds.
        "jit": "off",
        "TimeZone": "UTC",
    ]
    /// A line of the file `.pgpass` on the nodes of a Citus cluster, which log in to each other as
    /// the role that queries.
    public static func passwordLine(of name: String) -> String { "*:*:*:\(name):PASSWORD" }

    /// Limit of temporary files. Only a superuser may set it.
    public static let temporaryFileLimit = "10GB"
}

/// By default PUBLIC may create temporary tables and large objects, and no limit bounds their size.
/// A role can't be denied what PUBLIC has. So the right is revoked from PUBLIC, in this database
/// only, and only if no other role uses the database.
extension Analysts {
    /// All functions that make large objects and that PUBLIC may call.
    private static let makers = [
        "pg_catalog.lo_creat(integer)", "pg_catalog.lo_create(oid)",
        "pg_catalog.lo_from_bytea(oid, bytea)",
    ]

    /// Revokes from PUBLIC what nobody else needs, in the caller's transaction.
    ///
    /// - Returns: what the role `name` can still do.
    static func limit(
        _ name: String, isSuperuser: Bool, on connection: Connection
    ) throws(PostgresError) -> [AnalystGap] {
        let here = try connection.query(
            """
            SELECT quote_ident(d.datname), pg_has_role(d.datdba, 'USAGE'),
                EXISTS (SELECT FROM pg_catalog.pg_largeobject_metadata),
                EXISTS (
                    SELECT FROM pg_catalog.pg_roles r
                    WHERE r.rolcanlogin AND NOT r.rolsuper
                        AND r.rolname NOT IN (current_user, 'sluice_loop')
                        AND NOT pg_has_role(r.oid, d.datdba, 'MEMBER')
                        AND shobj_description(r.oid, 'pg_authid') IS DISTINCT FROM '\(mark)'
                        AND has_database_privilege(r.oid, d.oid, 'CONNECT')
                )
            FROM pg_catalog.pg_database d WHERE d.datname = current_database()
            """)
        let (database, ownsIt) = (here.string(0, 0), here.bool(0, 1))
        let (hasObjects, hasOthers) = (here.bool(0, 2), here.bool(0, 3))
        if ownsIt, !hasOthers, try may(name, "database", "current_database()", "TEMP", connection) {
            try connection.execute("REVOKE TEMPORARY ON DATABASE \(database) FROM PUBLIC")
        }
        if isSuperuser, !hasOthers, !hasObjects {
            for function in makers
            where try may(name, "function", "'\(function)'", "EXECUTE", connection) {
                try connection.execute("REVOKE EXECUTE ON FUNCTION \(function) FROM PUBLIC")
            }
        }
        var gaps: [AnalystGap] = []
        if try may(name, "database", "current_database()", "TEMP", connection) {
            gaps.append(.temporaryTables)
        }
        for function in makers
        where try may(name, "function", "'\(function)'", "EXECUTE", connection) {
            gaps.append(.largeObjects)
            break
        }
        if !isSuperuser { gaps.append(.temporaryFiles) }
        return gaps
    }

    private static func may(
        _ role: String, _ kind: String, _ object: String, _ privilege: String,
        _ connection: Connection
    ) throws(PostgresError) -> Bool {
        try connection.query(
            "SELECT has_\(kind)_privilege('\(role)', \(object), '\(privilege)')"
        ).bool(0, 0)
    }
}
