import Load

/// What was seen while the database stood still.
struct FrozenResult {
    /// Before any load, and under load before the database stood still.
    let idleBytes: Int
    let warmBytes: Int
    /// One a second.
    let samples: [Int]
    let spooledReadings: String
    /// nil: the generator never got to its end.
    let report: LoadReport?
    let complaints: [String]

    var peakBytes: Int { samples.max() ?? 0 }

    /// Least squares over the second half.
    var bytesPerMinute: Double {
        let half = samples.suffix(samples.count / 2).map(Double.init)
        guard half.count > 1 else { return 0 }
        let middle = Double(half.count - 1) / 2
        let mean = half.reduce(0, +) / Double(half.count)
        var products = 0.0
        var squares = 0.0
        for (index, value) in half.enumerated() {
            products += (Double(index) - middle) * (value - mean)
            squares += (Double(index) - middle) * (Double(index) - middle)
        }
        return products / squares * 60
    }
}
