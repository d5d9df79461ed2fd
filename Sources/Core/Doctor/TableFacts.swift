public import Postgres

/// The state of Sluice's tables.
public struct TableFacts: Sendable {
    /// Partitions of readings.
    public var partitions = 0
    /// Missing partitions of the coming days; nil: unknown.
    public var missing: Int?
    /// The first day with a missing partition.
    public var firstMissingDay: String?
    /// Age of the newest reading of all devices, by the database's clock; nil: there is none, or it
    /// is unknown.
    public var quietSeconds: Int?
    /// Tables for which autovacuum is disabled.
    public var withoutAutovacuum: [String] = []
    /// Partitions of past days with over a million rows that were never vacuumed.
    public var daysUnvacuumed = 0
    /// The planner's statistics of the partitioned tables.
    public var statistics: [PlannerStatistics.Table] = []
    /// Partitions of readings that are sealed, or being unsealed.
    public var sealedDays = 0
    /// Why queries of sealed days fail; nil: they work, or there are none.
    public var loopFault: String?
    /// Age in transactions of the oldest row in the database that is not frozen.
    public var oldestFrozenAge = 0
    /// Age of the oldest open transaction.
    public var oldestTransactionSeconds: Int?
    /// Prepared transactions older than five minutes.
    public var preparedForgotten = 0
    /// Sessions that hold locks on our tables and have done nothing for a while, the longest first.
    public var idleHolders: [IdleHolder] = []

    /// Tables without any fault.
    public init() {}
}
