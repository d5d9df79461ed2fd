import Glibc
public import OperatorErrors
public import Postgres

/// Why an export ended early. No file was created or replaced.
public enum ExportFault: Error {
    /// ``ExportStop/stop()`` was called.
    case interrupted
    /// The reader of the output has closed it.
    case brokenPipe
    /// Another export is writing this file.
    case outputInUse(path: String)
    /// An operation that the operating system refused.
    case outputFailed(path: String, operation: String, errno: Int32)
    /// Names in the scope that are not in the database.
    case unknown(devices: [String], users: [String])
    /// The named devices and users are known, but none of the devices belongs to one of the users.
    case noneOfUsers
    /// The views do not exist: the schema is older than this binary.
    case schemaOlder
    /// The server reported an error, or the connection failed.
    case database(PostgresError)
}

extension ExportFault: OperatorError {
    /// See ``OperatorError``.
    public var sentence: String {
        switch self {
        case .interrupted: "stopped; no file was made"
        case .brokenPipe: "nobody reads the output"
        case .outputInUse(let path): "\(path): another export is writing it"
        case .outputFailed(let path, let operation, let errno):
            "\(path): \(operation): \(String(cString: strerror(errno)))"
        case .unknown(let devices, let users):
            (devices.map { "unknown device \"\($0)\"" } + users.map(Self.unknown))
                .joined(separator: ", ")
        case .noneOfUsers: "none of these devices belongs to one of these users"
        case .schemaOlder: "the database's schema is older than this binary"
        case .database(let error): error.sentence
        }
    }

    private static func unknown(user: String) -> String {
        // Of a device that named no user.
        let id = user.lowercased()
        return "unknown user \"\(user)\""
            + (id == user ? "" : " (a device's id is in lower case: \"\(id)\")")
    }

    /// See ``OperatorError``.
    public var remedy: String? {
        switch self {
        case .schemaOlder: "run sluice migrate first"
        case .database(let error): error.remedy
        case .interrupted, .brokenPipe, .outputInUse, .outputFailed, .unknown, .noneOfUsers: nil
        }
    }

    /// The exit status of a program that SIGINT ends, if it was interrupted.
    public var exitCode: Int32 {
        switch self {
        case .interrupted: 128 + SIGINT
        case .brokenPipe: EX_IOERR
        case .outputInUse: EX_TEMPFAIL
        case .outputFailed(_, let operation, _): operation == "open" ? EX_CANTCREAT : EX_IOERR
        case .unknown, .noneOfUsers: EX_DATAERR
        case .schemaOlder: EX_UNAVAILABLE
        case .database(let error): error.exitCode
        }
    }
}
