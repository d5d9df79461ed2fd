import Readings

/// Rows of one device and kind, and their times for the watermark.
public struct DecodedRows: Equatable, Sendable {
    /// COPY BINARY tuples, one after the other.
    public var tuples: [UInt8] = []
    /// The number of tuples in `tuples`.
    public var count = 0
    /// The earliest time in microseconds since 2000; `Int64.max` without rows.
    public var first = Int64.max
    /// The latest time; `Int64.min` without rows.
    public var last = Int64.min
    /// Whether each time is later than the one before it.
    public var strictlyRising = true

    /// No rows.
    public init() {}

    mutating func append(_ row: ReferenceRow, tuple: [UInt8]) {
        let time = row.time.microseconds
        tuples += tuple
        strictlyRising = strictlyRising && (count == 0 || time > last)
        count += 1
        first = min(first, time)
        last = max(last, time)
    }
}
