/// How large the steps of an erasure are.
public struct ErasureLimits: Sendable {
    /// Rows of one table that one transaction removes; 20 000 take some tens of milliseconds.
    public var batchRows = 20_000
    /// Devices that are looked up in the days' tables together.
    public var deviceBatch = 500
    /// How often to go through all tables until nothing is found any more.
    public var passesMax = 5
    /// How long one statement may take.
    public var statementMax: Duration = .seconds(120)

    /// The defaults.
    public init() {}
}
