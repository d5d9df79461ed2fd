import Foundation

/// An axis: maps values to positions, and has labelled values.
struct Axis {
    let low: Double
    let high: Double
    let isLogarithmic: Bool
    /// The labelled values, lowest first.
    let ticks: [Double]

    /// From 0 to a round number at or above `max`.
    init(upTo max: Double, ticks count: Int) {
        let top = max > 0 && max.isFinite ? max : 1
        let raw = top / Double(count)
        let magnitude = pow(10, floor(log10(raw)))
        let step = magnitude * ([1, 2, 5].first { $0 * magnitude >= raw * 0.999 } ?? 10)
        low = 0
        high = step * (top / step - 1e-9).rounded(.up)
        isLogarithmic = false
        ticks = Array(stride(from: 0, through: high * 1.0001, by: step))
    }

    /// From 0 to exactly `max`.
    init(exactly max: Double, ticks count: Int) {
        let rounded = Axis(upTo: max, ticks: count)
        low = 0
        high = max > 0 ? max : 1
        isLogarithmic = false
        ticks = rounded.ticks.filter { $0 <= max }
    }

    /// 1, 2 or 5 times powers of ten around the values. A wide axis labels only powers of ten.
    init(logarithmicFrom min: Double, to max: Double) {
        let bottom = min > 0 ? min : 0.001
        let top = Swift.max(max, bottom * 1.01)
        let marks = (-6...7).flatMap { power in [1, 2, 5].map { $0 * pow(10, Double(power)) } }
        let low = marks.last { $0 <= bottom * 1.0001 } ?? bottom
        let high = marks.first { $0 >= top * 0.9999 } ?? top
        (self.low, self.high) = (low, high)
        isLogarithmic = true
        let isWide = high / low > 300
        ticks = marks.enumerated().filter { place, mark in
            mark >= low * 0.999 && mark <= high * 1.001 && (!isWide || place % 3 == 0)
        }.map(\.element)
    }

    /// 0 for `low`, 1 for `high`.
    func place(_ value: Double) -> Double {
        let part =
            isLogarithmic
            ? (log(Swift.max(value, low)) - log(low)) / (log(high) - log(low))
            : (value - low) / (high - low)
        return min(1, max(0, part))
    }
}
