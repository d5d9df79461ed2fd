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
        case epochRefused
        /// The connection broke during a command and is closed. It is unknown whether the server
        /// executed the command (a COMMIT).
        case connectionLost
        /// The deadline passed; the connection is closed and the outcome unknown, as above.
        case deadlineExceeded
        /// The server refused the command; an open transaction has failed. The connection stays
        /// open unless the session itself is the cause.
        case refused
        /// The server executed the command, and a row that is there was neither changed nor
        /// refused: a trigger keeps it as it is. For the caller to find.
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
    /// A row's day has no partition (23514, of no constraint and no trigger).
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
        case .epochRefused: "the server is not the one that was written to before"
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
        case .connectionFailed, .sessionsShared, .epochRefused, .connectionLost, .deadlineExceeded,
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
            .sessionsShared, .epochRefused:
            true
        case .refused: sqlState.flatMap(FailureClass.rule)?.endsSession ?? false
        case .settingsInvalid, .poolExhausted, .rowUnchanged: false
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
