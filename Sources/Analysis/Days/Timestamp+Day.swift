public import Readings

extension Timestamp {
    /// The UTC date.
    public var utcDay: LocalDay { LocalDay(daysSince2000: day) }
}
