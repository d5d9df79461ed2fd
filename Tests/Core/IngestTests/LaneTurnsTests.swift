import Testing

@testable import Ingest

@Suite struct LaneTurnsTests {
    private let start = ContinuousClock.now

    private func at(_ milliseconds: Int) -> ContinuousClock.Instant {
        start + .milliseconds(milliseconds)
    }

    /// A round in which the live turn takes `live` batches.
    ///
    /// - Returns: its turn for the backlog.
    private func round(_ turns: inout LaneTurns, live: Int, at time: Int) -> LaneTurns.Turn? {
        var turn = turns.next(taken: 0, now: at(time))
        if turn == nil { turn = turns.next(taken: 0, now: at(time)) }
        #expect(turn == .live)
        return turns.next(taken: live, now: at(time))
    }

    /// Replays groups of 10 ms beside live batches for some seconds.
    ///
    /// - Returns: the replay's share of the time in each second.
    private func shares(percent: Int, seconds: Int) -> [Double] {
        var turns = LaneTurns(sharePercent: percent, now: start)
        var shares = [Double](repeating: 0, count: seconds)
        var time = 0
        while time < seconds * 1000 {
            if round(&turns, live: 1, at: time) == .backlog(.small) {
                turns.replayed(from: at(time), to: at(time + 10))
                shares[time / 1000] += 0.01
                time += 10
            } else {
                time += 1
            }
        }
        return shares
    }

    @Test func `turns alternate until a live turn and the next of the backlog find nothing`() {
        var turns = LaneTurns(sharePercent: 100, now: start)
        for _ in 0..<2 {
            #expect(turns.next(taken: 0, now: start) == .live)
            #expect(turns.next(taken: 3, now: start) == .backlog(.small))
            #expect(turns.next(taken: 0, now: start) == .live)
            #expect(turns.next(taken: 0, now: start) == .backlog(.small))
            #expect(turns.next(taken: 1, now: start) == .live)
            #expect(turns.next(taken: 0, now: start) == .backlog(.small))
            #expect(turns.next(taken: 0, now: start) == nil)
        }
    }

    @Test func `without live batches the backlog gets all of the time, in large groups`() {
        var turns = LaneTurns(sharePercent: 20, now: start)
        for time in stride(from: 0, to: 3000, by: 10) {
            #expect(round(&turns, live: 0, at: time) == .backlog(.large))
            turns.replayed(from: at(time), to: at(time + 10))
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
        var turns = LaneTurns(sharePercent: 20, now: start)
        #expect(round(&turns, live: 1, at: 0) == .backlog(.small))
        turns.replayed(from: at(0), to: at(500))
        #expect(round(&turns, live: 0, at: 999) == .backlog(.held))
        #expect(round(&turns, live: 0, at: 1000) == .backlog(.large))
    }

    @Test func `a lane that closes takes the whole backlog`() {
        var turns = LaneTurns(sharePercent: 20, now: start)
        #expect(round(&turns, live: 1, at: 0) == .backlog(.small))
        turns.replayed(from: at(0), to: at(500))
        #expect(round(&turns, live: 1, at: 501) == .backlog(.held))
        #expect(turns.next(taken: 0, now: at(501)) == .live)
        #expect(turns.next(taken: 1, isClosing: true, now: at(501)) == .backlog(.large))
    }

    @Test func `after a pause the share starts anew`() {
        var turns = LaneTurns(sharePercent: 50, now: start)
        // After twenty seconds without live batches the share is at its maximum.
        for time in stride(from: 0, to: 20_000, by: 100) {
            turns.replayed(from: at(time), to: at(time + 10))
        }
        #expect(round(&turns, live: 1, at: 20_000) == .backlog(.small))
        turns.replayed(from: at(20_000), to: at(20_010))
        #expect(round(&turns, live: 1, at: 20_030) == .backlog(.small))
        // Six seconds without a replay.
        turns.replayed(from: at(26_040), to: at(26_050))
        #expect(round(&turns, live: 1, at: 26_200) == .backlog(.held))
        #expect(round(&turns, live: 1, at: 26_550) == .backlog(.small))
    }
}
