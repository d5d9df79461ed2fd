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
