public import Postgres
public import Readings

/// Roles of the database for people who read: each may log in, is a member of `sluice_reader`, which
/// may read the schema `analytics` and nothing else, and starts read-only, with limits that keep a
/// careless query from becoming the devices' business: 8 connections, 5 minutes a statement, 5 minutes
/// of an idle transaction (which would keep the server from cleaning up), 10 GiB of temporary files
/// where the server lets us say so. A role may lift the times for its own session; it gains no rights
/// by that. Temporary tables and large objects, which no limit counts, it can't make where nobody
/// else uses the database (``AnalystGap``).
///
/// Roles belong to the whole server, not to a database. Which of them are ours is known by their
/// comment. Each call is one transaction or changes nothing, but for ``drop(_:on:)``.
public enum Analysts {
    /// The role whose rights they have.
    public static let reader = "sluice_reader"
    /// Connections at a time.
    public static let connectionsMax = 8

    static let mark = "Analyst of Sluice"

    /// What a role starts with. The path: `select * from gps` is enough.
    static let settings = [
        "default_transaction_read_only": "on",
        "statement_timeout": "5min",
        "idle_in_transaction_session_timeout": "5min",
        "lock_timeout": "10s",
        "search_path": "analytics",
        // A plan has a node for each day: compiled, it is seconds late where it saves milliseconds.
        "jit": "off",
        "TimeZone": "UTC",
    ]
    /// Only a superuser may set it.
    public static let temporaryFileLimit = "10GB"
}

/// A role that ``Analysts`` has made.
public struct Analyst: Sendable, Equatable {
    /// The role's name.
    public let name: String
    /// When its password ends; nil: never.
    public let validUntil: Timestamp?
    /// Its connections at the moment.
    public let connections: Int
}

/// Why a role could not be made or removed.
public enum AnalystFault: Error, Equatable {
    /// ``Analysts/isName(_:)`` says no.
    case nameInvalid
    /// There is a role of that name, whatever it may.
    case roleExists
    /// The role that we are connected as.
    case mayNotCreateRoles(role: String)
    /// We are connected as a role that may not give others the reader's rights.
    case mayNotGrant(role: String)
    case unknown
    /// There is a role of that name, and it is not one of ours.
    case notAnalyst
    /// It owns something, in this database or another one of the server.
    case ownsObjects
    case database(PostgresError)
}

/// What everybody may do on a PostgreSQL server by default and no limit keeps small: temporary
/// tables and large objects. Nobody can be denied it while PUBLIC has it, so it is taken from PUBLIC
/// in this one database, and only where nobody else is there to miss it.
extension Analysts {
    /// Functions that make large objects; PUBLIC has no others.
    private static let makers = [
        "pg_catalog.lo_creat(integer)", "pg_catalog.lo_create(oid)",
        "pg_catalog.lo_from_bytea(oid, bytea)",
    ]

    /// Takes from PUBLIC what may be taken, as part of the caller's transaction.
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
                    WHERE r.rolcanlogin AND NOT r.rolsuper AND r.rolname <> current_user
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

/// A way to fill the server's disk that a role has been left.
public enum AnalystGap: Sendable, Equatable {
    /// PUBLIC makes them: others use this database, or we do not own it.
    case temporaryTables
    /// PUBLIC makes them: others use this database, or there are some, or we are no superuser.
    case largeObjects
    /// Those of its queries: only a superuser may limit them.
    case temporaryFiles
}

/// A role that was just made.
public struct NewAnalyst: Sendable {
    /// Nowhere else.
    public let password: String
    /// What it can do that it should not.
    public let gaps: [AnalystGap]
}
