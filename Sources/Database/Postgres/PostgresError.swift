/// Why a call to the database failed.
///
/// Carries no statement, detail, context or value, because those contain what devices sent.
public struct PostgresError: Error, Equatable, Sendable {
    /// What the failure means for the connection.
    public enum Kind: String, Sendable {
        /// The connection string can't be read. No connection was attempted.
        case settingsInvalid
        /// No connection could be opened. Nothing was sent.
        case connectionFailed
        /// A connection pooler gives each transaction another session. Nothing of the caller was
        /// sent.
        case sessionsShared
        /// The server is not the one that was written to before. Nothing of the caller was sent.
        case eraRefused
        /// The connection broke during a command and is closed. It is unknown whether the server
        /// executed the command (a COMMIT).
        case connectionLost
        /// The deadline passed; the connection is closed and the outcome unknown, as above.
        case deadlineExceeded
        /// The server refused the command; an open transaction has failed. The connection stays
        /// open unless the session itself is the cause.
        case refused
        /// libpq or the server did something unexpected; the connection is closed.
        case protocolViolation
        /// All connections of a pool stayed busy for as long as the caller waited.
        case poolExhausted
    }

    /// Whether the database is unreachable. The lanes report that; nothing else needs to.
    public static func isAway(_ error: any Error) -> Bool {
        let kind = (error as? PostgresError)?.kind
        return kind == .connectionFailed || kind == .connectionLost
    }

    /// What the failure means for the connection.
    public let kind: Kind
    /// The server's code, if the server has answered.
    public let sqlState: SQLState?
    /// One line for operators: the server's primary message or libpq's, without statement, detail
    /// and context; empty for data exceptions (class 22), whose messages quote the value.
    public let message: String
    /// A row's day has no partition (23514 without a constraint's name).
    public let isPartitionMissing: Bool

    /// For the connection itself, and for tests of code that handles its errors.
    public init(
        _ kind: Kind, sqlState: SQLState? = nil, message: String = "",
        isPartitionMissing: Bool = false
    ) {
        self.kind = kind
        self.sqlState = sqlState
        self.message = message
        self.isPartitionMissing = isPartitionMissing
    }

    /// The same error when it is known that no partition is missing: a reading is the cause.
    public var ofReading: PostgresError {
        PostgresError(kind, sqlState: sqlState, message: message)
    }

    /// ``message``, or a text for the kind if it is empty: never empty.
    public var reason: String {
        if !message.isEmpty { return message }
        return switch kind {
        case .settingsInvalid: "the connection string can't be read"
        case .connectionFailed: "no connection came about"
        case .sessionsShared: "a connection pooler shares sessions"
        case .eraRefused: "the server is not the one that was written to before"
        case .connectionLost: "the connection broke"
        case .deadlineExceeded:
            "no answer in time: it is frozen or overloaded, or somebody holds a lock"
        case .refused: "it gives no reason"
        case .protocolViolation: "it does not keep to the protocol"
        case .poolExhausted: "all connections to it are busy"
        }
    }

    /// What to do about it.
    public var failureClass: FailureClass {
        if isPartitionMissing { return .partitionMissing }
        if let sqlState { return FailureClass(sqlState) }
        switch kind {
        case .connectionFailed, .sessionsShared, .eraRefused, .connectionLost, .deadlineExceeded,
            .poolExhausted:
            return .retry
        case .settingsInvalid, .refused, .protocolViolation: return .stop
        }
    }

    /// The connection can't be used any more: open a new one.
    public var isConnectionClosed: Bool {
        switch kind {
        case .connectionLost, .deadlineExceeded, .protocolViolation, .connectionFailed,
            .sessionsShared, .eraRefused:
            true
        case .refused: sqlState.flatMap(FailureClass.rule)?.endsSession ?? false
        case .settingsInvalid, .poolExhausted: false
        }
    }
}

extension PostgresError: CustomStringConvertible {
    /// Kind, code and message in one line for a log.
    public var description: String {
        [kind.rawValue, sqlState?.description ?? "", message].filter { !$0.isEmpty }
            .joined(separator: " ")
    }
}

/// The five characters with which PostgreSQL names a failure; the first two are its class.
///
/// - Source: PostgreSQL manual, appendix A "PostgreSQL Error Codes".
public struct SQLState: Hashable, Sendable {
    /// The characters in the low five bytes, the first in the highest of them.
    private let packed: UInt64

    /// - Returns: nil unless `text` is five characters of `0-9A-Z`.
    public init?(_ text: some StringProtocol) {
        guard text.utf8.count == 5 else { return nil }
        var packed: UInt64 = 0
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
                packed = packed << 8 | UInt64(byte)
            default:
                return nil
            }
        }
        self.packed = packed
    }

    /// The first two characters.
    public var classCode: String { String(description.prefix(2)) }

    /// The server refused to continue a transaction that has failed.
    public static let inFailedTransaction: SQLState = "25P02"
    /// A CHECK constraint is violated, or a row has no partition.
    public static let checkViolation: SQLState = "23514"
}

extension SQLState: CustomStringConvertible {
    /// The five characters.
    public var description: String {
        let characters = (0..<5).map { UInt8(truncatingIfNeeded: packed >> (32 - 8 * $0)) }
        return String(decoding: characters, as: UTF8.self)
    }
}

extension SQLState: ExpressibleByStringLiteral {
    /// For codes known when the program is written; a malformed one traps.
    public init(stringLiteral text: String) {
        guard let state = SQLState(text) else { preconditionFailure("BUG: SQLSTATE \(text)") }
        self = state
    }
}

/// How the caller of a failed statement handles it.
public enum FailureClass: String, Sendable, CaseIterable {
    /// A temporary failure: a retry may succeed later.
    case retry
    /// A row has no partition: make the partition of its day and retry.
    case partitionMissing
    /// A row is the cause: a retry fails again, but the other rows may succeed without it.
    case poison
    /// Neither a row nor a temporary failure is the cause: an operator is needed.
    case stop
}

extension FailureClass {
    /// One row of the table: a SQLSTATE class of two characters, or one code that differs from
    /// its class.
    public struct Rule: Sendable {
        /// Two characters or five.
        public let code: String
        /// What to do about it.
        public let failureClass: FailureClass
        /// Why, in a few words.
        public let reason: String
        /// The session is the cause: a retry fails in it, but may succeed in a new one.
        public let endsSession: Bool

        fileprivate init(
            _ code: String, _ failureClass: FailureClass, _ reason: String,
            endsSession: Bool = false
        ) {
            self.code = code
            self.failureClass = failureClass
            self.reason = reason
            self.endsSession = endsSession
        }
    }

    /// Every class of PostgreSQL 15's appendix A, and the codes that differ from their class. An
    /// unknown class is `stop`.
    public static let rules: [Rule] = [
        Rule("00", .stop, "success is no failure"),
        Rule("01", .stop, "a warning is no failure"),
        Rule("02", .stop, "our statements do not depend on a row being there"),
        Rule("03", .stop, "our statements are complete"),
        Rule("08", .retry, "the connection, not the statement"),
        Rule("08P01", .stop, "we or a proxy broke the protocol; again would break it again"),
        Rule("09", .stop, "a trigger's definition is wrong, whatever the row"),
        Rule("0A", .stop, "the server lacks a feature that we use"),
        Rule("0B", .stop, "transaction control in the wrong place"),
        Rule("0F", .stop, "large objects are not used"),
        Rule("0L", .stop, "rights"),
        Rule("0P", .stop, "a role that is not there"),
        Rule("0Z", .stop, "diagnostics of a server-side function"),
        Rule("20", .stop, "CASE without a branch in a server-side function"),
        Rule("21", .stop, "a sub-query of ours returned more than it may"),
        Rule("22", .poison, "a value the type does not take"),
        Rule("23", .poison, "a constraint a row violates"),
        Rule("24", .stop, "cursors are not used"),
        Rule("25", .stop, "transaction control in the wrong state"),
        Rule(
            "25006", .retry, "read-only: a standby, or a session that began while its role was",
            endsSession: true),
        Rule("25P03", .retry, "idle in transaction for too long: we were slow, not wrong"),
        Rule(
            "26", .retry, "the prepared statement is gone; the next session prepares it",
            endsSession: true),
        Rule("27", .stop, "a trigger and we change the same row"),
        Rule("28", .stop, "who we are or our password is not accepted"),
        Rule("2B", .stop, "rights depend on each other"),
        Rule("2D", .stop, "transaction control in the wrong place"),
        Rule("2F", .stop, "a server-side function does what it may not"),
        Rule("34", .stop, "cursors are not used"),
        Rule("38", .stop, "a server-side function in another language failed"),
        Rule("39", .stop, "a server-side function was called wrongly"),
        Rule("3B", .stop, "savepoints are not used"),
        Rule("3D", .stop, "the database is not there"),
        Rule("3F", .stop, "the schema is not there"),
        Rule("40", .retry, "rolled back for another's sake: serialization, deadlock"),
        Rule("40002", .poison, "rolled back for a deferred constraint, which a row violates"),
        Rule("42", .stop, "the statement does not fit the schema, or rights are missing"),
        Rule(
            "42P05", .retry, "a prepared statement that this session has not prepared",
            endsSession: true),
        Rule("44", .stop, "we write to no view"),
        Rule("53", .retry, "disk, memory or connections are used up, for now"),
        Rule("54", .poison, "a row or value larger than the server can hold"),
        Rule("55", .stop, "an object is not in the state that we need"),
        Rule("55006", .retry, "in use by another"),
        Rule("55P03", .retry, "locked by another for longer than lock_timeout"),
        Rule("57", .retry, "cancelled, shutting down or starting"),
        Rule("57P04", .stop, "the database was dropped"),
        Rule("58", .retry, "an I/O error of the server"),
        Rule("58P01", .stop, "a file of the server's is missing"),
        Rule("58P02", .stop, "a file of the server's is there twice"),
        Rule("72", .retry, "the snapshot grew too old"),
        Rule("F0", .stop, "the server's configuration"),
        Rule("HV", .stop, "a foreign table that an operator put in place"),
        Rule("P0", .poison, "a trigger of the operator's refuses the row"),
        Rule("XX", .stop, "a fault of the server, or corrupted data"),
    ]

    private static let byCode = Dictionary(uniqueKeysWithValues: rules.map { ($0.code, $0) })

    /// By SQLSTATE alone. ``PostgresError/failureClass`` also knows a missing partition.
    public init(_ state: SQLState) {
        self = Self.rule(state)?.failureClass ?? .stop
    }

    static func rule(_ state: SQLState) -> Rule? {
        byCode[state.description] ?? byCode[state.classCode]
    }
}
