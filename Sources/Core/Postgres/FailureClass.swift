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

        init(
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

    /// Every class of appendix A of PostgreSQL 15 to 18, and the codes that differ from their
    /// class. What can pass by itself is `retry`, what a row is to blame for `poison`, everything
    /// else `stop`, an unknown class too.
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
