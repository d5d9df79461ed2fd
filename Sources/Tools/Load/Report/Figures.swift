import Foundation

/// Numbers for people.
public enum Figures {
    /// About three digits and a unit: 1.23 M, 45.6 k, 789.
    public static func short(_ value: Double) -> String {
        switch abs(value) {
        case 1e6...: String(format: "%.2f M", value / 1e6)
        case 1e5...: String(format: "%.0f k", value / 1e3)
        case 1e4...: String(format: "%.1f k", value / 1e3)
        default: String(format: "%.0f", value)
        }
    }

    /// Formats milliseconds.
    public static func milliseconds(_ value: Double) -> String {
        String(format: value < 10 ? "%.2f ms" : "%.0f ms", value)
    }

    /// Formats a share: 0.951 is 95.1 %.
    public static func percent(_ share: Double) -> String {
        String(format: "%.1f %%", share * 100)
    }

    /// Like ``percent(_:)``, with more digits for a small share.
    static func share(_ value: Double) -> String {
        value > 0 && value < 0.001 ? String(format: "%.4f %%", value * 100) : percent(value)
    }
}
