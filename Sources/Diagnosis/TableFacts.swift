/// The state of Sluice's tables.
public struct TableFacts: Sendable {
    /// Partitions of the coming days that are missing; nil: could not be asked.
    public var missing: Int?
    /// The first day of which one is missing.
    public var firstMissingDay: String?
    /// Since the newest reading of any device, by the server's clock; nil: there is none, or it could
    /// not be asked.
    public var quietSeconds: Int?
    /// Tables whose autovacuum was switched off.
    public var withoutAutovacuum: [String] = []
    /// Days that are over and of which many rows were never vacuumed.
    public var daysUnvacuumed = 0
    /// Transactions since the oldest row of any table that is not frozen.
    public var oldestFrozenAge = 0
    /// The oldest transaction that is open.
    public var oldestTransactionSeconds: Int?
    /// Prepared transactions older than five minutes.
    public var preparedForgotten = 0

    /// Nothing is wrong.
    public init() {}
}
