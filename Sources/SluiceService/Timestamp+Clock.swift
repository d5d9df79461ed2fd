import Foundation
import Readings

extension Timestamp {
    /// The system's clock, now.
    static func now() -> Timestamp {
        let microseconds = Int64(Date().timeIntervalSince1970 * 1_000_000)
        return Timestamp(microseconds: microseconds - unixEpochOffset * 1_000_000)
    }

    /// Whole seconds since 1970.
    var unixSeconds: Int64 {
        Int64((Double(microseconds) / 1e6).rounded(.down)) + Self.unixEpochOffset
    }

    /// The same moment as Foundation counts.
    var date: Date {
        Date(timeIntervalSince1970: Double(microseconds) / 1e6 + Double(Self.unixEpochOffset))
    }
}
