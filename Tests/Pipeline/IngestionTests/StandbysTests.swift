import Postgres
import Testing

@testable import Ingestion

/// Up to where the log is on all standbys that may be promoted.
struct StandbysTests {
    private static let start = ContinuousClock.now

    private static func at(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }

    private static func one(_ name: String, _ flushed: UInt64?) -> StandbyPosition {
        StandbyPosition(name: name, flushed: flushed)
    }

    @Test func `the one that is furthest behind counts`() {
        var standbys = Standbys()
        #expect(standbys.flushed == nil && standbys.count == 0)
        standbys.see([Self.one("a", 500), Self.one("b", 300)], now: Self.at(0))
        #expect(standbys.flushed == 300 && standbys.count == 2)
    }

    @Test func `one that has just gone away counts for an hour, for it may be the next primary`() {
        var standbys = Standbys()
        standbys.see([Self.one("a", 500), Self.one("b", 300)], now: Self.at(0))
        standbys.see([Self.one("a", 900)], now: Self.at(3600))
        #expect(standbys.flushed == 300)
        standbys.see([Self.one("a", 1000)], now: Self.at(3601))
        #expect(standbys.flushed == 1000 && standbys.count == 1)
    }

    @Test func `of two with one name the missing one may be either`() {
        var standbys = Standbys()
        standbys.see([Self.one("walreceiver", 500), Self.one("walreceiver", 300)], now: Self.at(0))
        standbys.see([Self.one("walreceiver", 900)], now: Self.at(1))
        #expect(standbys.flushed == 300 && standbys.count == 2)
        standbys.see([Self.one("walreceiver", 900), Self.one("walreceiver", 800)], now: Self.at(2))
        #expect(standbys.flushed == 800)
        // For good.
        standbys.see([Self.one("walreceiver", 950)], now: Self.at(2 + 3601))
        #expect(standbys.flushed == 950 && standbys.count == 1)
    }

    @Test func `a standby that starts anew from further behind is believed`() {
        var standbys = Standbys()
        standbys.see([Self.one("a", 500)], now: Self.at(0))
        standbys.see([Self.one("a", 100)], now: Self.at(1))
        #expect(standbys.flushed == 100)
    }

    @Test func `a slot whose standby is away counts, and no longer than it is there`() {
        var standbys = Standbys()
        let slot = StandbyPosition(name: "s", flushed: 50, isIdleSlot: true)
        standbys.see([Self.one("a", 500), slot], now: Self.at(0))
        #expect(standbys.flushed == 50 && standbys.count == 2)
        standbys.see([Self.one("a", 600)], now: Self.at(1))
        #expect(standbys.flushed == 600 && standbys.count == 1)
    }

    @Test func `a position that may not be seen is none`() {
        var standbys = Standbys()
        standbys.see([Self.one("a", nil)], now: Self.at(0))
        #expect(standbys.flushed == 0 && standbys.isHidden)
    }
}
