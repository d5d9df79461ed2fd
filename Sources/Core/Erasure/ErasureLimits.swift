/// The step sizes of an erasure.
public struct ErasureLimits: Sendable {
    /// Rows of one table that one transaction removes; 20 000 take some tens of milliseconds.
    public var batchRows = 20_000
    /// Devices whose rows in the day tables are removed together.
    public var deviceBatch = 500
    /// Maximum number of passes over all tables.
    public var passesMax = 5
    /// Timeout of one statement.
    public var statementMax: Duration = .seconds(120)

    /// The defaults.
    public init() {}
}
