import Glibc
public import OperatorErrors

extension PostgresError: OperatorError {
    /// See ``OperatorError``.
    public var sentence: String {
        let words = reason.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return switch kind {
        case .settingsInvalid: "SLUICE_DATABASE_URL: \(words)"
        case .connectionFailed: "can't connect to the database: \(words)\(code)"
        case .sessionsShared, .epochRefused: words
        case .refused: "the database refuses: \(words)\(code)"
        case .connectionLost, .deadlineExceeded, .rowUnchanged, .protocolViolation, .poolExhausted:
            "the database: \(words) (\(kind.rawValue)\(sqlState.map { " \($0)" } ?? ""))"
        }
    }

    private var code: String { sqlState.map { " (SQLSTATE \($0))" } ?? "" }

    /// See ``OperatorError``.
    public var remedy: String? {
        guard kind == .connectionFailed || kind == .refused else { return nil }
        return switch sqlState?.description {
        case nil: "is it running, and is SLUICE_DATABASE_URL right?"
        case "28000", "28P01": "check the user and the password in SLUICE_DATABASE_URL"
        case "3D000": "create it first, or name another in SLUICE_DATABASE_URL"
        case "42501": "grant this right to the role of SLUICE_DATABASE_URL"
        case "53300": "raise its max_connections, or lower SLUICE_LANES"
        default: nil
        }
    }

    /// See ``OperatorError``.
    public var exitCode: Int32 { EX_UNAVAILABLE }
}
