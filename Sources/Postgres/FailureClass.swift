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
