import Glibc
public import OperatorErrors
public import Postgres

/// Why a role could not be made or removed.
public enum AnalystFault: Error, Equatable {
    /// Rejected by ``Analysts/isName(_:)``.
    case nameInvalid(String)
    /// A role of that name exists, ours or not.
    case roleExists(String)
    /// The role that we are connected as may not create roles.
    case mayNotCreateRoles(role: String)
    /// The role that we are connected as may not grant the reader's rights.
    case mayNotGrant(role: String)
    /// There is no role of that name.
    case unknown(String)
    /// A role of that name exists, but ``Analysts`` did not make it.
    case notAnalyst(String)
    /// It owns objects, in this database or another one of the server.
    case ownsObjects(String)
    /// A statement failed.
    case database(PostgresError)
}

extension AnalystFault: OperatorError {
    /// See ``OperatorError``.
    public var sentence: String {
        switch self {
        case .nameInvalid(let name): "\(name): not a valid role name"
        case .roleExists(let name): "there is a role \"\(name)\" on this database server"
        case .mayNotCreateRoles(let role):
            "the database role \"\(role)\" may not create or drop roles"
        case .mayNotGrant(let role):
            "the database role \"\(role)\" may not grant \(Analysts.reader)"
        case .unknown(let name): "there is no role \"\(name)\""
        case .notAnalyst(let name):
            "the role \"\(name)\" was not made by sluice analyst create"
        case .ownsObjects(let name):
            "the role \"\(name)\" owns objects, or has rights in another database: see DROP OWNED. "
                + "It can't log in any more"
        case .database(let error): error.sentence
        }
    }

    /// See ``OperatorError``.
    public var remedy: String? {
        switch self {
        case .roleExists: "choose another name, or drop it first"
        case .mayNotCreateRoles(let role):
            "use a SLUICE_DATABASE_URL of one that may, or let a superuser run: ALTER ROLE \"\(role)\" "
                + "CREATEROLE"
        case .mayNotGrant(let role):
            "let a superuser run: GRANT \(Analysts.reader) TO \"\(role)\" WITH ADMIN OPTION"
        case .database(let error): error.remedy
        case .nameInvalid, .unknown, .notAnalyst, .ownsObjects: nil
        }
    }

    /// See ``OperatorError``.
    public var exitCode: Int32 {
        switch self {
        case .nameInvalid, .roleExists, .notAnalyst: EX_USAGE
        case .mayNotCreateRoles, .mayNotGrant: EX_NOPERM
        case .unknown: EX_DATAERR
        case .ownsObjects: EX_UNAVAILABLE
        case .database(let error): error.exitCode
        }
    }
}
