import Foundation

/// Numbers for people.
enum Figures {
    /// Three digits and a unit: 1.23 M, 45.6 k, 789.
    static func short(_ value: Double) -> String {
        switch abs(value) {
        case 1e6...: String(format: "%.2f M", value / 1e6)
        case 1e5...: String(format: "%.0f k", value / 1e3)
        case 1e4...: String(format: "%.1f k", value / 1e3)
        default: String(format: "%.0f", value)
        }
    }

    static func milliseconds(_ value: Double) -> String {
        String(format: value < 10 ? "%.2f ms" : "%.0f ms", value)
    }

    /// 0.951 is 95.1 %.
    static func percent(_ share: Double) -> String { String(format: "%.1f %%", share * 100) }

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
