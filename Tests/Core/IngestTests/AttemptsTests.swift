import Postgres
import Testing

@testable import Ingest

@Suite struct AttemptsTests {
    private let giveUpAt = ContinuousClock.now
    private var lockGiveUpAt: ContinuousClock.Instant { giveUpAt + .seconds(2) }
    private var attempts: LaneHealth.Attempts {
        LaneHealth.Attempts(giveUpAt: giveUpAt, lockGiveUpAt: lockGiveUpAt)
    }
    private var early: ContinuousClock.Instant { giveUpAt - .nanoseconds(1) }

    private func refusal(_ state: SQLState) -> PostgresError {
        PostgresError(.refused, sqlState: state, message: "of a test")
    }

    @Test func `a transient failure is retried until the patience ends, then the lane goes away`() {
        var attempts = attempts
        for failure in [
            refusal("53100"), refusal("57P01"),
            PostgresError(.connectionLost, message: "of a test"),
        ] {
            for _ in 1...100 {
                #expect(attempts.next(after: failure, mayHaveMoved: false, now: early) == .pause)
            }
            #expect(attempts.next(after: failure, mayHaveMoved: true, now: giveUpAt) == .goAway)
        }
    }

    @Test func `who is locked is asked at once, and whether others pass once the patience ends`() {
        var attempts = attempts
        let locked = refusal("55P03")
        for now in [early, early, early] {
            #expect(
                attempts.next(after: locked, mayHaveMoved: false, now: now)
                    == .askForBlame(isSure: false))
            #expect(attempts.foundNobody(after: locked, now: now) == .pause)
        }
        #expect(
            attempts.next(after: locked, mayHaveMoved: false, now: giveUpAt)
                == .askForBlame(isSure: true))
        #expect(attempts.foundNobody(after: locked, now: giveUpAt) == .pause)
        #expect(attempts.foundNobody(after: locked, now: lockGiveUpAt) == .goAway)
    }

    @Test(arguments: ["57014", "54000", "53200", "25P04"] as [SQLState])
    func `the second time it is asked whether others pass`(state: SQLState) {
        var attempts = attempts
        for isSure in [false, true] {
            #expect(
                attempts.next(after: refusal(state), mayHaveMoved: false, now: early)
                    == .askForBlame(isSure: isSure))
            #expect(attempts.foundNobody(after: refusal(state), now: early) == .pause)
        }
        #expect(attempts.foundNobody(after: refusal(state), now: giveUpAt) == .goAway)
    }

    @Test func `a deadlock is tried once more, also after the patience`() {
        var attempts = attempts
        let deadlock = refusal("40P01")
        let next = [giveUpAt, giveUpAt].map {
            attempts.next(after: deadlock, mayHaveMoved: false, now: $0)
        }
        #expect(next == [.pause, .askForBlame(isSure: true)])
    }

    @Test func `a missing partition is asked for, three times at most where all days are there`() {
        var attempts = attempts
        let missing = PostgresError(.refused, sqlState: "23514", isPartitionMissing: true)
        for _ in 1...3 {
            #expect(
                attempts.next(after: missing, mayHaveMoved: false, now: giveUpAt) == .askForDays)
        }
        #expect((1...3).map { _ in attempts.foundAllDays() } == [true, true, false])
    }

    @Test func `a permanent failure ends the group, unless a shard has moved`() {
        var attempts = attempts
        let refused = refusal("42501")
        #expect(attempts.next(after: refused, mayHaveMoved: false, now: early) == .fail)
        #expect(attempts.next(after: refused, mayHaveMoved: true, now: early) == .reconnect)
        #expect(attempts.next(after: refused, mayHaveMoved: true, now: giveUpAt) == .fail)
        #expect(attempts.next(after: refusal("22003"), mayHaveMoved: true, now: early) == .fail)
        // A damaged page may be one device's.
        let damaged = refusal("XX001")
        #expect(
            attempts.next(after: damaged, mayHaveMoved: false, now: early)
                == .askForBlame(isSure: true))
        #expect(attempts.foundNobody(after: damaged, now: early) == .fail)
    }
}
