/// The rate of an open loop over time, and its integral: the number of requests due.
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

    /// A constant rate without an end.
    init(constant rate: Double) {
        segments = [Segment(start: 0, seconds: .infinity, from: rate, to: rate, before: 0)]
    }

    /// Starts at `rate` and ends with the last stage.
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

    /// The rate in requests per second at a time; 0 after the end.
    func rate(at seconds: Double) -> Double {
        let segment = segments.last { $0.start <= seconds }
        guard let segment, seconds <= segment.start + segment.seconds else { return 0 }
        return segment.rate(after: seconds - segment.start)
    }

    /// The number of requests due by a time.
    func requests(by seconds: Double) -> Double {
        guard let segment = segments.last(where: { $0.start <= seconds }) else { return 0 }
        return segment.before
            + segment.requests(after: min(seconds - segment.start, segment.seconds))
    }

    /// When that many requests are due; nil: never.
    func seconds(ofRequest number: Double) -> Double? {
        for segment in segments {
            let left = number - segment.before
            let rise = segment.seconds.isFinite ? (segment.to - segment.from) / segment.seconds : 0
            // The root of from · t + rise · t² ÷ 2 = left, in the numerically stable form.
            let square = segment.from * segment.from + 2 * left * rise
            let denominator = segment.from + max(0, square).squareRoot()
            guard square >= 0, denominator > 0 else { continue }
            let seconds = 2 * left / denominator
            if seconds <= segment.seconds { return segment.start + max(0, seconds) }
        }
        return nil
    }
}
