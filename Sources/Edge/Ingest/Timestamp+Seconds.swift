import Readings

extension Timestamp {
    /// Whole seconds since 1970.
    var unixSeconds: Int64 {
        microseconds / 1_000_000 + Self.unixEpochOffset
    }
}
