/// Rounds the figures of responses: calories to whole numbers, grams and quantities to a fixed
/// decimal, half away from zero. NaN becomes 0 and numbers that are too large are clamped, so no
/// conversion traps.
enum Rounding {
    /// A bound above every possible sum of `Meals.itemsMax` items.
    private static let limit = 1e12

    static func whole(_ value: Double) -> Int {
        Int(clamped(value).rounded())
    }

    static func toTenth(_ value: Double) -> Double {
        (clamped(value) * 10).rounded() / 10
    }

    static func toHundredth(_ value: Double) -> Double {
        (clamped(value) * 100).rounded() / 100
    }

    private static func clamped(_ value: Double) -> Double {
        value.isNaN ? 0 : min(max(value, -limit), limit)
    }
}
