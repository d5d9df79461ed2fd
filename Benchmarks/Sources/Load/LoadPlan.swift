/// Where to send, how many at a time, and for how long.
package struct LoadPlan: Sendable {
    package enum Pace: Sendable, Equatable {
        /// The next request leaves when an answer comes.
        case closed
        /// Requests leave by the clock, whatever comes back.
        case open(requestsPerSecond: Double, arrival: Arrival)
    }

    package enum Arrival: String, Sendable, CaseIterable {
        /// Independent devices: exponential gaps.
        case poisson
        /// Equal gaps.
        case even
    }

    package var target: Target
    /// Head lines behind `Host`, each ending in CR LF.
    package var headLines = ""
    package var connections = 16
    /// Requests under way on each connection (HTTP pipelining).
    package var outstanding = 1
    package var pace = Pace.closed
    /// No new request after this.
    package var durationNanoseconds: UInt64 = 30_000_000_000
    /// An answer that takes longer is given up, and its connection closed.
    package var answerNanosecondsMax: UInt64 = 30_000_000_000
    /// Sends only the head and waits for `100 Continue`, so that a refused body is never sent.
    package var expectsContinue = false
    /// Before the clock starts, each connection gets one answer to a request with an empty body, so
    /// that the server has accepted them all; these count nowhere.
    package var greets = false
    /// For the gaps of ``Arrival/poisson``.
    package var seed: UInt64 = 1

    package init(target: Target) {
        self.target = target
    }
}
