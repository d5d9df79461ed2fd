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
