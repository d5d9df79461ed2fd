/// A stretch of an open loop in which the rate rises or falls evenly to `requestsPerSecond`.
public struct Stage: Sendable, Equatable {
    /// How long it takes; 0 jumps.
    public var seconds: Double
    /// The rate at its end.
    public var requestsPerSecond: Double

    /// - Parameters:
    ///   - seconds: 0 or more.
    ///   - requestsPerSecond: 0 or more.
    public init(seconds: Double, requestsPerSecond: Double) {
        precondition(seconds >= 0 && requestsPerSecond >= 0, "BUG: \(seconds) s")
        self.seconds = seconds
        self.requestsPerSecond = requestsPerSecond
    }
}

/// The rate of an open loop over time, and its integral: how many requests are due by a moment.
struct RateCurve: Sendable, Equatable {
    private struct Segment: Equatable {
        let start: Double
        let seconds: Double
        let from: Double
        let to: Double
        /// Requests that are due before it.
        let before: Double

        func rate(after seconds: Double) -> Double {
            self.seconds.isFinite ? from + (to - from) * seconds / self.seconds : from
        }

        func requests(after seconds: Double) -> Double {
            (from + rate(after: seconds)) / 2 * seconds
        }
    }

    private var segments: [Segment] = []

    /// The same rate for ever.
    init(constant rate: Double) {
        segments = [Segment(start: 0, seconds: .infinity, from: rate, to: rate, before: 0)]
    }

    /// Begins at `rate` and ends with the last stage.
    init(from rate: Double, stages: [Stage]) {
        var (start, from, before) = (0.0, rate, 0.0)
        for stage in stages {
            if stage.seconds > 0 {
                let segment = Segment(
                    start: start, seconds: stage.seconds, from: from, to: stage.requestsPerSecond,
                    before: before)
                segments.append(segment)
                before += segment.requests(after: stage.seconds)
                start += stage.seconds
            }
            from = stage.requestsPerSecond
        }
    }

    /// Requests a second at that moment; 0 behind the end.
    func rate(at seconds: Double) -> Double {
        let segment = segments.last { $0.start <= seconds }
        guard let segment, seconds <= segment.start + segment.seconds else { return 0 }
        return segment.rate(after: seconds - segment.start)
    }

    /// How many requests are due by that moment.
    func requests(by seconds: Double) -> Double {
        guard let segment = segments.last(where: { $0.start <= seconds }) else { return 0 }
        return segment.before
            + segment.requests(after: min(seconds - segment.start, segment.seconds))
    }

    /// When so many requests are due; nil if they never are.
    func seconds(ofRequest number: Double) -> Double? {
        for segment in segments {
            let left = number - segment.before
            let rise = segment.seconds.isFinite ? (segment.to - segment.from) / segment.seconds : 0
            // The root of from · t + rise · t² ÷ 2 = left, in the form that loses no digits.
            let square = segment.from * segment.from + 2 * left * rise
            let denominator = segment.from + max(0, square).squareRoot()
            guard square >= 0, denominator > 0 else { continue }
            let seconds = 2 * left / denominator
            if seconds <= segment.seconds { return segment.start + max(0, seconds) }
        }
        return nil
    }
}
