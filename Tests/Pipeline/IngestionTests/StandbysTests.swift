import Postgres
import Testing

@testable import Ingestion

/// Up to where the log is on all standbys that may be promoted.
struct StandbysTests {
    private static let start = ContinuousClock.now

    private static func at(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }

    private static func one(
        _ name: String, _ flushed: UInt64?, from address: String = "::1"
    ) -> StandbyPosition {
        StandbyPosition(name: name, address: address, flushed: flushed)
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
        standbys.see([Self.one("a", 500), Self.one("a", 300, from: "::2")], now: Self.at(0))
        standbys.see([Self.one("a", 900)], now: Self.at(1))
        #expect(standbys.flushed == 300 && standbys.count == 2)
        standbys.see([Self.one("a", 900), Self.one("a", 800, from: "::2")], now: Self.at(2))
        #expect(standbys.flushed == 800)
        // For good.
        standbys.see([Self.one("a", 950)], now: Self.at(2 + 3601))
        #expect(standbys.flushed == 950 && standbys.count == 1)
    }

    @Test func `an old connection that lingers is no second standby`() {
        var standbys = Standbys()
        standbys.see([Self.one("a", 500)], now: Self.at(0))
        standbys.see([Self.one("a", 500), Self.one("a", 700)], now: Self.at(1))
        standbys.see([Self.one("a", 650)], now: Self.at(2))
        #expect(standbys.flushed == 500 && standbys.count == 2)
        standbys.see([Self.one("a", 700)], now: Self.at(3))
        #expect(standbys.flushed == 700 && standbys.count == 1)
    }

    /// As a pod that is made anew.
    @Test func `a standby that comes back from another address is the same`() {
        var standbys = Standbys()
        standbys.see([Self.one("a", 500)], now: Self.at(0))
        standbys.see([], now: Self.at(1))
        standbys.see([Self.one("a", 900, from: "::2")], now: Self.at(2))
        #expect(standbys.flushed == 900 && standbys.count == 1)
    }

    @Test func `whoever else followed the old primary counts until as many follow the new one`() {
        var standbys = Standbys()
        standbys.see([Self.one("a", 500), Self.one("b", 300), Self.one("c", 1)], now: Self.at(0))
        standbys.follow(now: Self.at(1))
        #expect(standbys.flushed == 0 && standbys.count == 2)
        standbys.see([Self.one("b", 900)], now: Self.at(2))
        #expect(standbys.flushed == 0 && standbys.count == 2)
        standbys.see([Self.one("b", 900), Self.one("c", 800)], now: Self.at(3))
        #expect(standbys.flushed == 800)
        // One of two is promoted, and the other never comes.
        standbys.see([Self.one("b", 900)], now: Self.at(3 + 3601))
        standbys.see([Self.one("b", 900), Self.one("c", 800)], now: Self.at(3700))
        standbys.follow(now: Self.at(3701))
        standbys.see([], now: Self.at(3701 + 3599))
        #expect(standbys.flushed == 0)
        standbys.see([], now: Self.at(3701 + 3600))
        #expect(standbys.flushed == nil)
        // The only one is promoted.
        standbys.see([Self.one("a", 1)], now: Self.at(9000))
        standbys.follow(now: Self.at(9001))
        #expect(standbys.flushed == nil && standbys.count == 0)
    }

    @Test func `one that has come back to the new primary does not count for another`() {
        var standbys = Standbys()
        standbys.see([Self.one("a", 500), Self.one("b", 300), Self.one("c", 1)], now: Self.at(0))
        standbys.follow(now: Self.at(1))
        standbys.see([Self.one("b", 900), Self.one("b", 900)], now: Self.at(2))
        #expect(standbys.flushed == 0 && standbys.count == 2)
        standbys.see([Self.one("b", 900), Self.one("c", 800)], now: Self.at(3))
        #expect(standbys.flushed == 800 && standbys.count == 2)
    }

    @Test func `a standby that starts anew from further behind is believed`() {
        var standbys = Standbys()
        standbys.see([Self.one("a", 500)], now: Self.at(0))
        standbys.see([Self.one("a", 100)], now: Self.at(1))
        #expect(standbys.flushed == 100)
    }

    @Test func `a slot whose standby is away counts, and no longer than it is there`() {
        var standbys = Standbys()
        let slot = StandbyPosition(name: "s", flushed: 50, hasSlot: true)
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
