import Postgres
import Testing

@testable import Ingestion

@Suite struct AttemptsTests {
    private let giveUpAt = ContinuousClock.now
    private var early: ContinuousClock.Instant { giveUpAt - .nanoseconds(1) }

    private func refusal(_ state: SQLState) -> PostgresError {
        PostgresError(.refused, sqlState: state, message: "of a test")
    }

    @Test func `a transient failure is retried until the patience ends, then the lane goes away`() {
        var attempts = Attempts(giveUpAt: giveUpAt)
        for failure in [
            refusal("55P03"), refusal("57P01"),
            PostgresError(.connectionLost, message: "of a test"),
        ] {
            for _ in 1...100 {
                #expect(attempts.next(after: failure, mayHaveMoved: false, now: early) == .pause)
            }
            #expect(attempts.next(after: failure, mayHaveMoved: true, now: giveUpAt) == .goAway)
        }
    }

    @Test func `a deadlock after the patience is tried twice more`() {
        var attempts = Attempts(giveUpAt: giveUpAt)
        let deadlock = refusal("40P01")
        let next = [early, giveUpAt, giveUpAt, giveUpAt].map {
            attempts.next(after: deadlock, mayHaveMoved: false, now: $0)
        }
        #expect(next == [.pause, .pause, .pause, .goAway])
    }

    @Test func `a missing partition is asked for, three times at most where all days are there`() {
        var attempts = Attempts(giveUpAt: giveUpAt)
        let missing = PostgresError(.refused, sqlState: "23514", isPartitionMissing: true)
        for _ in 1...3 {
            #expect(
                attempts.next(after: missing, mayHaveMoved: false, now: giveUpAt) == .askForDays)
        }
        #expect((1...3).map { _ in attempts.foundAllDays() } == [true, true, false])
    }

    @Test func `a permanent failure ends the group, unless a shard has moved`() {
        var attempts = Attempts(giveUpAt: giveUpAt)
        let refused = refusal("42501")
        #expect(attempts.next(after: refused, mayHaveMoved: false, now: early) == .fail)
        #expect(attempts.next(after: refused, mayHaveMoved: true, now: early) == .reconnect)
        #expect(attempts.next(after: refused, mayHaveMoved: true, now: giveUpAt) == .fail)
        #expect(attempts.next(after: refusal("22003"), mayHaveMoved: true, now: early) == .fail)
    }
}
