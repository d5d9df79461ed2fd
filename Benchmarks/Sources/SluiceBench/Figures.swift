import Foundation
import Load

extension Figures {
    /// Median (minimum – maximum).
    static func spread(_ values: [Double]) -> String {
        String(
            format: "%.2f (%.2f – %.2f)", median(values), values.min() ?? .nan,
            values.max() ?? .nan)
    }

    static func median(_ values: [Double]) -> Double {
        precondition(!values.isEmpty, "BUG: median of nothing")
        let sorted = values.sorted()
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}
