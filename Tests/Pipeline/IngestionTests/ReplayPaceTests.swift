import Testing

@testable import Ingestion

@Suite struct ReplayPaceTests {
    private let start = ContinuousClock.now

    private func at(_ milliseconds: Int) -> ContinuousClock.Instant {
        start + .milliseconds(milliseconds)
    }

    /// Replays groups of 10 ms beside live batches for some seconds.
    ///
    /// - Returns: the replay's share of the time in each second.
    private func shares(percent: Int, seconds: Int) -> [Double] {
        var pace = ReplayPace(sharePercent: percent, now: start)
        var shares = [Double](repeating: 0, count: seconds)
        var time = 0
        while time < seconds * 1000 {
            if pace.mayReplay(now: at(time), hadLive: true) {
                pace.replayed(from: at(time), to: at(time + 10))
                shares[time / 1000] += 0.01
                time += 10
            } else {
                time += 1
            }
        }
        return shares
    }

    @Test func `without live batches the backlog gets all of the time`() {
        var pace = ReplayPace(sharePercent: 20, now: start)
        for time in stride(from: 0, to: 3000, by: 10) {
            #expect(pace.mayReplay(now: at(time), hadLive: false) == true)
            pace.replayed(from: at(time), to: at(time + 10))
        }
    }

    @Test func `beside live batches the backlog's share rises to its maximum and stays there`() {
        let shares = shares(percent: 20, seconds: 10)
        #expect(shares[0] <= 0.03)
        for (earlier, later) in zip(shares[..<4], shares[1..<5]) {
            #expect(earlier <= later + 0.02)
        }
        for share in shares[5...] { #expect(abs(share - 0.2) < 0.03) }
    }

    @Test func `a maximum below the initial share holds from the start`() {
        for share in shares(percent: 1, seconds: 4) { #expect(share <= 0.02) }
    }

    @Test func `live batches are remembered for a second`() {
        var pace = ReplayPace(sharePercent: 20, now: start)
        #expect(pace.mayReplay(now: at(0), hadLive: true) == true)
        pace.replayed(from: at(0), to: at(500))
        #expect(pace.mayReplay(now: at(999), hadLive: false) == false)
        #expect(pace.mayReplay(now: at(1000), hadLive: false) == true)
    }

    @Test func `after a pause the share starts anew`() {
        var pace = ReplayPace(sharePercent: 50, now: start)
        // After twenty seconds without live batches the share is at its maximum.
        for time in stride(from: 0, to: 20_000, by: 100) {
            pace.replayed(from: at(time), to: at(time + 10))
        }
        #expect(pace.mayReplay(now: at(20_000), hadLive: true) == true)
        pace.replayed(from: at(20_000), to: at(20_010))
        #expect(pace.mayReplay(now: at(20_030), hadLive: true) == true)
        // Six seconds without a replay.
        pace.replayed(from: at(26_040), to: at(26_050))
        #expect(pace.mayReplay(now: at(26_200), hadLive: true) == false)
        #expect(pace.mayReplay(now: at(26_550), hadLive: true) == true)
    }
}
