import Load

/// What was measured while the database was frozen.
struct FrozenResult {
    /// Resident memory before any load, and under load before the database was frozen.
    let idleBytes: Int
    let warmBytes: Int
    /// Resident memory, one sample a second.
    let samples: [Int]
    let spooledReadings: String
    /// nil if the generator did not end.
    let report: LoadReport?
    let complaints: [String]

    var peakBytes: Int { samples.max() ?? 0 }

    /// The growth of memory, by least squares over the second half.
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
