import Testing

@testable import Load

@Suite struct StageTests {
    @Test(arguments: [
        ("30s", 30), ("1m30s", 90), ("500ms", 0.5), ("2h", 7200), ("0s", 0),
        ("1.5m", 90), ("1m0.5s", 60.5),
    ])
    func `durations are read in the usual spellings`(text: String, seconds: Double) throws {
        let span = try #require(TimeSpan(argument: text))
        #expect(span.seconds == seconds)
        #expect(TimeSpan(argument: span.description) == span)
    }

    @Test(arguments: ["", "s", "30", "0.5", "30x", "-5s", "inf", "nan", "1e3", "5 s", "3s5", "..s"])
    func `other texts are no duration`(text: String) {
        #expect(TimeSpan(argument: text) == nil)
    }

    @Test func `stages are read in order`() {
        #expect(
            StageList(argument: "30s:200,0s:500,1m:0.5")?.stages == [
                Stage(seconds: 30, requestsPerSecond: 200),
                Stage(seconds: 0, requestsPerSecond: 500),
                Stage(seconds: 60, requestsPerSecond: 0.5),
            ])
    }

    @Test(arguments: ["", "30s", "30s:", ":5", "30s:5,", "30s:-5", "30s:5:6", "30s:inf"])
    func `other texts are no list of stages`(text: String) {
        #expect(StageList(argument: text) == nil)
    }

    @Test func `too many stages are rejected`() {
        let list = Array(repeating: "1s:1", count: 100).joined(separator: ",")
        #expect(StageList(argument: list) != nil)
        #expect(StageList(argument: list + ",1s:1") == nil)
    }

    private static let ramp = RateCurve(
        from: 0,
        stages: [
            Stage(seconds: 10, requestsPerSecond: 100), Stage(seconds: 5, requestsPerSecond: 100),
            Stage(seconds: 0, requestsPerSecond: 20), Stage(seconds: 4, requestsPerSecond: 0),
        ])

    @Test(arguments: [
        (0, 0, 0), (5, 50, 125), (10, 100, 500), (12, 100, 700), (17, 10, 1030), (19, 0, 1040),
        (25, 0, 1040),
    ])
    func `a ramp is a straight line, and the area below it is the number of requests`(
        seconds: Double, rate: Double, requests: Double
    ) {
        #expect(abs(Self.ramp.rate(at: seconds) - rate) < 1e-9)
        #expect(abs(Self.ramp.requests(by: seconds) - requests) < 1e-9)
    }

    @Test func `each request is due when the area has reached its number`() throws {
        var last = 0.0
        for number in 1...1039 {
            let due = try #require(Self.ramp.seconds(ofRequest: Double(number)))
            #expect(due > last && due <= 19)
            #expect(abs(Self.ramp.requests(by: due) - Double(number)) < 1e-6)
            last = due
        }
        #expect(Self.ramp.seconds(ofRequest: 1041) == nil)
    }

    @Test func `nothing is due while the rate is zero`() throws {
        let curve = RateCurve(
            from: 0,
            stages: [
                Stage(seconds: 5, requestsPerSecond: 0), Stage(seconds: 0, requestsPerSecond: 10),
                Stage(seconds: 1, requestsPerSecond: 10),
            ])
        #expect(curve.requests(by: 5) == 0)
        #expect(try #require(curve.seconds(ofRequest: 1)) == 5.1)
    }

    @Test(arguments: LoadPlan.Arrival.allCases)
    func `a schedule follows the stages and counts the requests that it did not reach`(
        arrival: LoadPlan.Arrival
    ) {
        let start: UInt64 = 1_000_000_000_000
        var schedule = Schedule(curve: Self.ramp, arrival: arrival, start: start, seed: 5)
        let end = start + 19_000_000_000
        var before: [UInt64] = []
        while schedule.due < start + 10_000_000_000 {
            before.append(schedule.due)
            schedule.advance()
        }
        // 500 requests are due; with random arrivals a few more or fewer.
        #expect(abs(before.count - 500) <= (arrival == .even ? 1 : 90))
        #expect(abs(schedule.count(before: end) - 540) <= 2)
        while schedule.due < end { schedule.advance() }
        #expect(schedule.count(before: end) == 0)
    }
}
