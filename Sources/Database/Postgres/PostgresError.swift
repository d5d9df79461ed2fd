/// Why a call to the database failed.
///
/// Carries no statement, detail, context or value: those hold what devices sent.
public struct PostgresError: Error, Equatable, Sendable {
    /// What the failure is to the connection.
    public enum Kind: String, Sendable {
        /// A connection string that can't be read. No connection was tried.
        case settingsInvalid
        /// No connection came about. Nothing was sent.
        case connectionFailed
        /// A connection pooler gives each transaction another session. Nothing was sent.
        case sessionsShared
        /// The server is not the one that was written to before. Nothing was sent.
        case eraRefused
        /// The connection broke under a command and is closed. Whether the server did what it was
        /// told (a COMMIT) is unknown.
        case connectionLost
        /// The deadline passed; the connection is closed, the outcome unknown as above.
        case deadlineExceeded
        /// The server said no; an open transaction has failed. The connection lives, unless the
        /// session itself is to blame.
        case refused
        /// libpq or the server did what should not happen; the connection is closed.
        case protocolViolation
        /// All connections of a pool stayed busy for as long as the caller would wait.
        case poolExhausted
    }

    /// The database can't be reached. The lanes tell that; it is no news of anybody else's.
    public static func isAway(_ error: any Error) -> Bool {
        let kind = (error as? PostgresError)?.kind
        return kind == .connectionFailed || kind == .connectionLost
    }

    /// What became of the connection.
    public let kind: Kind
    /// The server's code, where the server spoke at all.
    public let sqlState: SQLState?
    /// One line for operators: the server's primary message or libpq's, without statement, detail
    /// and context; empty for data exceptions (class 22), whose messages quote the value.
    public let message: String
    /// A row's day has no partition (23514 without a constraint's name).
    public let isPartitionMissing: Bool

    /// For the connection itself, and for tests of what handles its errors.
    public init(
        _ kind: Kind, sqlState: SQLState? = nil, message: String = "",
        isPartitionMissing: Bool = false
    ) {
        self.kind = kind
        self.sqlState = sqlState
        self.message = message
        self.isPartitionMissing = isPartitionMissing
    }

    /// The same, when it is known that no partition is missing: a reading is to blame.
    public var ofReading: PostgresError {
        PostgresError(kind, sqlState: sqlState, message: message)
    }

    /// ``message``, or words for the kind where there is none: never empty.
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

    /// The connection can't be used any more: open another.
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

    /// The server refused to go on in a transaction that already failed.
    public static let inFailedTransaction: SQLState = "25P02"
    /// A CHECK constraint; also what a row without a partition gets.
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

/// What the one whose statement failed does about it.
public enum FailureClass: String, Sendable, CaseIterable {
    /// The statement was right and the moment was wrong: the same again later may succeed.
    case retry
    /// A row has no partition: make its day and send the same again.
    case partitionMissing
    /// Something in the data: the same again fails again, and the rest may pass without it.
    case poison
    /// Waiting does not mend it and no row is to blame: an operator has to look.
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
        /// The session is to blame: the same again fails again in it, and may pass in a new one.
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

    /// Every class of PostgreSQL 15's appendix A, and the codes that differ from theirs. A class
    /// that is not here is one we have never heard of: `stop`.
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
