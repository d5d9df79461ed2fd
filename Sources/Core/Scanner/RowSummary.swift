/// The number and times of a device batch's rows of one kind.
public struct RowSummary: Sendable {
    /// How many there are.
    public let count: Int
    /// The earliest time, microseconds since 2000; `Int64.max` when there is none.
    public let first: Int64
    /// The latest time; `Int64.min` when there is none.
    public let last: Int64
    /// Each time is later than the previous one.
    public let strictlyRising: Bool
}
