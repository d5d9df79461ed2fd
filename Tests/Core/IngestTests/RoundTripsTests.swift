import Testing

@testable import Ingest

@Suite struct RoundTripsTests {
    private let start = ContinuousClock.now

    private func added(_ trips: [Duration], to before: RoundTrips = RoundTrips()) -> RoundTrips {
        var all = before
        for trip in trips { all.add(trip, at: start) }
        return all
    }

    @Test func `a longer way is believed after at most two halves, a shorter one at once`() {
        let near = [Duration](repeating: .microseconds(40), count: 100)
        let far = Duration.milliseconds(1)
        var trips = added(near)
        for number in 1...2 * RoundTrips.half {
            trips.add(far, at: start)
            if number < RoundTrips.half { #expect(trips.shortest == .microseconds(40)) }
        }
        #expect(trips.shortest == far)
        trips.add(.microseconds(50), at: start)
        #expect(trips.shortest == .microseconds(50))
    }

    @Test func `stalls among the round trips do not count`() {
        var trips = RoundTrips()
        for number in 0..<500 {
            let isStalled = number % RoundTrips.half != 5
            trips.add(isStalled ? .seconds(5) : .microseconds(60), at: start)
            #expect(number < 5 || trips.shortest == .microseconds(60))
        }
    }

    @Test func `one is measured at once, and the next after a pause`() {
        var trips = RoundTrips()
        #expect(trips.shortest == nil)
        #expect(trips.isDue(at: start))
        trips.add(.zero, at: start)
        #expect(!trips.isDue(at: start + RoundTrips.pause - .nanoseconds(1)))
        #expect(trips.isDue(at: start + RoundTrips.pause))
    }
}
