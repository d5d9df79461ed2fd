/// How figures leave the server: calories whole, grams and quantities to a fixed decimal, half away
/// from zero. What cannot be a number of the client's types is clamped, never trapped on.
enum Rounding {
    /// More than any sum of `Meals.itemsMax` items can be.
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
