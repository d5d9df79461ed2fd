import Foundation
import Readings

extension Timestamp {
    /// The system's clock, now.
    static func now() -> Timestamp {
        let microseconds = Int64(Date().timeIntervalSince1970 * 1_000_000)
        return Timestamp(microseconds: microseconds - unixEpochOffset * 1_000_000)
    }

    /// The same moment as Foundation counts.
    var date: Date {
        Date(timeIntervalSince1970: Double(microseconds) / 1e6 + Double(Self.unixEpochOffset))
    }
}
