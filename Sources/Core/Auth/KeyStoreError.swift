import Glibc
public import OperatorErrors
public import Postgres

/// Why a key was not made.
public enum KeyStoreError: Error, Equatable {
    /// A key of this name is in force; revoke it first or choose another.
    case nameTaken(String)
    /// The statement failed.
    case database(PostgresError)
}

extension KeyStoreError: OperatorError {
    /// See ``OperatorError``.
    public var sentence: String {
        switch self {
        case .nameTaken(let name): "a key \"\(name)\" is already in force"
        case .database(let error): error.sentence
        }
    }

    /// See ``OperatorError``.
    public var remedy: String? {
        switch self {
        case .nameTaken: "revoke it first"
        case .database(let error): error.remedy
        }
    }

    /// See ``OperatorError``.
    public var exitCode: Int32 {
        switch self {
        case .nameTaken: EX_USAGE
        case .database(let error): error.exitCode
        }
    }
}
