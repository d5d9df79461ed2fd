package import Histogram

/// What a run came to. Latencies in nanoseconds.
package struct LoadReport: Sendable {
    package var elapsedNanoseconds: UInt64 = 0
    /// Answers by status.
    package var statuses: [Int: Int] = [:]
    package var bytesSent = 0
    package var retries = 0
    /// Requests whose fate is unknown: broken connections and time-outs.
    package var lost = 0
    package var connectionsOpened = 0
    package var connectionsRefused = 0
    /// Answers that were not HTTP as the generator speaks it.
    package var broken = 0
    /// Requests that were due but never sent, because the run was over.
    package var neverSent = 0
    /// From the intended start to the answer: 2xx only.
    package var accepted = LoadReport.histogram()
    /// From the intended start: every other answer.
    package var refused = LoadReport.histogram()
    /// From the actual sending, of the same answers.
    package var acceptedFromSend = LoadReport.histogram()
    package var refusedFromSend = LoadReport.histogram()
    /// CPU time of the generator's thread.
    package var processorNanoseconds: UInt64 = 0

    package init() {}

    package var answers: Int { statuses.values.reduce(0, +) }
    /// Share of one core that the generator's thread took.
    package var coresTaken: Double {
        Double(processorNanoseconds) / Double(max(1, elapsedNanoseconds))
    }
    package var seconds: Double { Double(elapsedNanoseconds) * 1e-9 }
    package var acceptedCount: Int {
        statuses.reduce(0) { $0 + ((200..<300).contains($1.key) ? $1.value : 0) }
    }

    private static func histogram() -> Histogram<UInt64> {
        Histogram(
            highestTrackableValue: 3_600_000_000_000, numberOfSignificantValueDigits: .three)
    }
}

/// Milliseconds at a percentile.
package func milliseconds(_ histogram: Histogram<UInt64>, at percentile: Double) -> Double {
    histogram.totalCount == 0
        ? 0 : Double(histogram.valueAtPercentile(percentile)) * 1e-6
}

/// So that users of this module need not know the histogram's.
package typealias LatencyHistogram = Histogram<UInt64>
