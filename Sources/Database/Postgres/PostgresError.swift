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
        /// The server executed the command, and a row that is there was neither changed nor refused:
        /// a trigger keeps it as it is. For the caller to find.
        case rowUnchanged
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
    /// The column that must not be NULL (23502).
    public let required: RequiredColumn?
    /// The definition of the table is the cause: no row can satisfy it.
    public private(set) var isOfTable = false

    /// For the connection itself, and for tests of code that handles its errors.
    public init(
        _ kind: Kind, sqlState: SQLState? = nil, message: String = "",
        isPartitionMissing: Bool = false, required: RequiredColumn? = nil
    ) {
        self.kind = kind
        self.sqlState = sqlState
        self.message = message
        self.isPartitionMissing = isPartitionMissing
        self.required = required
    }

    /// The same error when it is known that no partition is missing: a reading is the cause.
    public var ofReading: PostgresError {
        PostgresError(kind, sqlState: sqlState, message: message)
    }

    /// The same error when it is known that no row can satisfy the table.
    public var ofTable: PostgresError {
        var error = self
        error.isOfTable = true
        return error
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
        case .rowUnchanged: "a trigger keeps a row as it is"
        case .protocolViolation: "it does not keep to the protocol"
        case .poolExhausted: "all connections to it are busy"
        }
    }

    /// What to do about it.
    public var failureClass: FailureClass {
        if isPartitionMissing { return .partitionMissing }
        if isOfTable { return .stop }
        if let sqlState { return FailureClass(sqlState) }
        switch kind {
        case .connectionFailed, .sessionsShared, .eraRefused, .connectionLost, .deadlineExceeded,
            .poolExhausted, .rowUnchanged:
            return .retry
        case .settingsInvalid, .refused, .protocolViolation: return .stop
        }
    }

    /// What to do about it if other rows can be written at the same moment, so that one row, device
    /// or owner is the cause; nil: it never is.
    public var classOfOne: FailureClass? {
        if isPartitionMissing { return nil }
        // Readings of other tables are not concerned.
        if isOfTable { return .stop }
        if let sqlState { return FailureClass.rule(sqlState)?.classOfOne }
        return kind == .deadlineExceeded || kind == .rowUnchanged ? .retry : nil
    }

    /// A smaller transaction may succeed at the same moment.
    public var mayBeOfSize: Bool {
        if let sqlState { return FailureClass.rule(sqlState)?.mayBeOfSize ?? false }
        return kind == .deadlineExceeded
    }

    /// The connection can't be used any more: open a new one.
    public var isConnectionClosed: Bool {
        switch kind {
        case .connectionLost, .deadlineExceeded, .protocolViolation, .connectionFailed,
            .sessionsShared, .eraRefused:
            true
        case .refused: sqlState.flatMap(FailureClass.rule)?.endsSession ?? false
        case .settingsInvalid, .poolExhausted, .rowUnchanged: false
        }
    }
}

/// A column that must have a value, in a table or partition.
public struct RequiredColumn: Equatable, Sendable {
    /// Without its schema.
    public let table: String
    /// As in the catalog, without quotes.
    public let column: String

    /// For the connection itself, and for tests.
    public init(table: String, column: String) {
        self.table = table
        self.column = column
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
    /// A column that must have a value has none.
    public static let notNullViolation: SQLState = "23502"
    /// A deadlock, which PostgreSQL ended by rolling this transaction back.
    public static let deadlock: SQLState = "40P01"
    /// A lock was not free within `lock_timeout`.
    public static let lockNotAvailable: SQLState = "55P03"
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
        /// One row, device or owner may be the cause: what to do if others can be written at the
        /// same moment. nil: that would tell nothing.
        public let classOfOne: FailureClass?
        /// The size of the transaction may be the cause.
        public let mayBeOfSize: Bool

        fileprivate init(
            _ code: String, _ failureClass: FailureClass, _ reason: String,
            endsSession: Bool = false, ofOne classOfOne: FailureClass? = nil,
            ofSize mayBeOfSize: Bool = false
        ) {
            self.code = code
            self.failureClass = failureClass
            self.reason = reason
            self.endsSession = endsSession
            self.classOfOne = classOfOne
            self.mayBeOfSize = mayBeOfSize
        }
    }

    /// Every class of appendix A of PostgreSQL 15 to 18, and the codes that differ from their class.
    /// What can pass by itself is `retry`, what a row is to blame for `poison`, everything else
    /// `stop`, an unknown class too.
    ///
    /// Some codes have two causes, of which one concerns everybody and the other a single row or
    /// device. The code alone can't tell them apart; whether others can be written does.
    public static let rules: [Rule] = [
        Rule("00", .stop, "success is no failure"),
        Rule("01", .stop, "a warning is no failure"),
        Rule("02", .stop, "our statements do not depend on a row being there"),
        Rule("03", .stop, "our statements are complete"),
        Rule("08", .retry, "the connection, not the statement"),
        Rule("08P01", .stop, "we or a proxy broke the protocol; again would break it again"),
        Rule("09", .stop, "a trigger's action failed", ofOne: .stop),
        Rule("0A", .stop, "the server lacks a feature that we use"),
        Rule("0B", .stop, "transaction control in the wrong place"),
        Rule("0F", .stop, "large objects are not used"),
        Rule("0L", .stop, "rights"),
        Rule("0P", .stop, "a role that is not there"),
        Rule("0Z", .stop, "diagnostics of a server-side function"),
        Rule("10", .stop, "XQuery is not used"),
        Rule("20", .stop, "CASE without a branch in a server-side function", ofOne: .stop),
        Rule("21", .stop, "a sub-query returned more than it may", ofOne: .stop),
        Rule("22", .poison, "a value the type does not take"),
        Rule("23", .poison, "a constraint a row violates"),
        Rule("24", .stop, "cursors are not used"),
        Rule("25", .stop, "transaction control in the wrong state"),
        Rule(
            "25006", .retry, "read-only: a standby, or a session that began while its role was",
            endsSession: true),
        Rule("25P03", .retry, "idle in transaction for too long: we were slow, not wrong"),
        Rule(
            "25P04", .retry, "longer than transaction_timeout: the server or we were slow",
            ofOne: .retry, ofSize: true),
        Rule(
            "26", .retry, "the prepared statement is gone; the next session prepares it",
            endsSession: true),
        Rule("27", .stop, "a trigger and we change the same row", ofOne: .stop),
        Rule("28", .stop, "who we are or our password is not accepted"),
        Rule("2B", .stop, "rights depend on each other"),
        Rule("2D", .stop, "transaction control in the wrong place"),
        Rule("2F", .stop, "a server-side function does what it may not", ofOne: .stop),
        Rule("34", .stop, "cursors are not used"),
        Rule("38", .stop, "a server-side function in another language failed", ofOne: .stop),
        Rule("39", .stop, "a server-side function was called wrongly", ofOne: .stop),
        Rule("3B", .stop, "savepoints are not used"),
        Rule("3D", .retry, "the database is not there, as while it is being restored"),
        Rule("3F", .stop, "the schema is not there"),
        Rule(
            "40", .retry, "rolled back for another's sake: serialization, deadlock", ofOne: .retry),
        Rule("40002", .poison, "rolled back for a deferred constraint, which a row violates"),
        Rule("42", .stop, "the statement does not fit the schema, or rights are missing"),
        Rule(
            "42P05", .retry, "a prepared statement that this session has not prepared",
            endsSession: true),
        Rule("44", .stop, "we write to no view"),
        Rule("53", .retry, "disk, memory or connections are used up, for now"),
        Rule(
            "53200", .retry, "memory is used up, or not enough for this", ofOne: .retry,
            ofSize: true),
        Rule("53400", .retry, "a limit such as temp_file_limit", ofOne: .retry, ofSize: true),
        Rule("54", .poison, "a row or value larger than the server can hold"),
        Rule(
            "54000", .retry, "no numbers for transactions are left, or a row is too large",
            ofOne: .poison),
        Rule("55", .stop, "an object is not in the state that we need"),
        Rule("55006", .retry, "in use by another"),
        Rule("55P03", .retry, "locked by another for longer than lock_timeout", ofOne: .retry),
        Rule("57", .retry, "shutting down, starting, or ended by an operator"),
        Rule(
            "57014", .retry, "cancelled by an operator or statement_timeout", ofOne: .retry,
            ofSize: true),
        Rule("57P04", .retry, "the database was dropped, as before it is restored"),
        Rule("58", .retry, "an I/O error of the server"),
        Rule("58030", .retry, "a disk error, perhaps of one page", ofOne: .retry),
        Rule("58P01", .stop, "a file of the server's is missing"),
        Rule("58P02", .stop, "a file of the server's is there twice"),
        Rule("58P03", .stop, "a file's name is too long"),
        Rule("72", .retry, "the snapshot grew too old"),
        Rule("F0", .stop, "the server's configuration"),
        Rule("HV", .stop, "a foreign table that an operator put in place"),
        Rule("P0", .poison, "a trigger of the operator's refuses the row"),
        Rule("XX", .stop, "a fault of the server, or a damaged page", ofOne: .stop),
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
