import Postgres
import Testing

@testable import Ingest

/// The log position that all standbys have that may be promoted.
struct StandbysTests {
    private static let start = ContinuousClock.now

    private static func at(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }

    private static func one(
        _ name: String, _ flushed: UInt64?, from address: String = "::1"
    ) -> StandbyPosition {
        StandbyPosition(name: name, address: address, flushed: flushed)
    }

    /// Looks once a second, after `start` and before `end`.
    private static func watch(
        _ standbys: inout Standbys, _ positions: [StandbyPosition], from start: Int, to end: Int
    ) {
        for second in (start + 1)..<end { standbys.see(positions, now: at(second)) }
    }

    @Test func `the standby that is furthest behind counts`() {
        var standbys = Standbys()
        #expect(standbys.flushed == nil && standbys.count == 0)
        standbys.see([Self.one("a", 500), Self.one("b", 300)], now: Self.at(0))
        #expect(standbys.flushed == 300 && standbys.count == 2)
    }

    @Test func `a standby that has just disconnected counts for an hour, as it may be promoted`() {
        var standbys = Standbys()
        standbys.see([Self.one("a", 500), Self.one("b", 300)], now: Self.at(0))
        Self.watch(&standbys, [Self.one("a", 900)], from: 0, to: 3601)
        #expect(standbys.flushed == 300)
        standbys.see([Self.one("a", 1000)], now: Self.at(3601))
        #expect(standbys.flushed == 1000 && standbys.count == 1)
    }

    /// The database was unreachable, or the node was stopped.
    @Test func `time without looks does not count towards the hour`() {
        var standbys = Standbys()
        standbys.see([Self.one("a", 500), Self.one("b", 300), Self.one("c", 1)], now: Self.at(0))
        Self.watch(&standbys, [Self.one("a", 900)], from: 0, to: 1001)
        standbys.see([Self.one("a", 900)], now: Self.at(9000))
        #expect(standbys.flushed == 1 && standbys.count == 3)
        // After a failover the same number is waited for, and that hour goes on.
        standbys.follow()
        standbys.see([], now: Self.at(99_000))
        #expect(standbys.flushed == 0 && standbys.count == 2)
        Self.watch(&standbys, [], from: 99_000, to: 99_000 + 3598)
        #expect(standbys.flushed == 0)
        Self.watch(&standbys, [], from: 99_000 + 3597, to: 99_000 + 3601)
        #expect(standbys.flushed == nil && standbys.count == 0)
    }

    @Test func `of two standbys with one name the missing one may be either`() {
        var standbys = Standbys()
        standbys.see([Self.one("a", 500), Self.one("a", 300, from: "::2")], now: Self.at(0))
        standbys.see([Self.one("a", 900)], now: Self.at(1))
        #expect(standbys.flushed == 300 && standbys.count == 2)
        standbys.see([Self.one("a", 900), Self.one("a", 800, from: "::2")], now: Self.at(2))
        #expect(standbys.flushed == 800)
        // Once forgotten, it stays forgotten.
        Self.watch(&standbys, [Self.one("a", 950)], from: 2, to: 2 + 3602)
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

    /// For example a pod that is replaced.
    @Test func `a standby that reconnects from another address is the same`() {
        var standbys = Standbys()
        standbys.see([Self.one("a", 500)], now: Self.at(0))
        standbys.see([], now: Self.at(1))
        standbys.see([Self.one("a", 900, from: "::2")], now: Self.at(2))
        #expect(standbys.flushed == 900 && standbys.count == 1)
    }

    @Test func `the old primary's other standbys count until as many follow the new primary`() {
        var standbys = Standbys()
        standbys.see([Self.one("a", 500), Self.one("b", 300), Self.one("c", 1)], now: Self.at(0))
        standbys.follow()
        #expect(standbys.flushed == 0 && standbys.count == 2)
        standbys.see([Self.one("b", 900)], now: Self.at(2))
        #expect(standbys.flushed == 0 && standbys.count == 2)
        standbys.see([Self.one("b", 900), Self.one("c", 800)], now: Self.at(3))
        #expect(standbys.flushed == 800)
        // One of two is promoted, and the other never returns.
        Self.watch(&standbys, [Self.one("b", 900)], from: 3, to: 3 + 3602)
        standbys.see([Self.one("b", 900), Self.one("c", 800)], now: Self.at(3700))
        standbys.follow()
        Self.watch(&standbys, [], from: 3700, to: 3700 + 3600)
        #expect(standbys.flushed == 0)
        standbys.see([], now: Self.at(3700 + 3600))
        #expect(standbys.flushed == nil)
        // The only standby is promoted.
        standbys.see([Self.one("a", 1)], now: Self.at(9000))
        standbys.follow()
        #expect(standbys.flushed == nil && standbys.count == 0)
    }

    @Test func `a standby that has returned to the new primary does not count for another`() {
        var standbys = Standbys()
        standbys.see([Self.one("a", 500), Self.one("b", 300), Self.one("c", 1)], now: Self.at(0))
        standbys.follow()
        standbys.see([Self.one("b", 900), Self.one("b", 900)], now: Self.at(2))
        #expect(standbys.flushed == 0 && standbys.count == 2)
        standbys.see([Self.one("b", 900), Self.one("c", 800)], now: Self.at(3))
        #expect(standbys.flushed == 800 && standbys.count == 2)
    }

    /// It was never seen on the new primary, and may still be promoted.
    @Test func `a missing standby that has lost its slot is not replaced by another one`() {
        var standbys = Standbys()
        standbys.see([Self.one("a", 500), Self.one("b", 500)], now: Self.at(0))
        standbys.follow()
        let lost = StandbyPosition(name: "b", flushed: nil, hasSlot: true, isLost: true)
        standbys.see([Self.one("old", 900), lost], now: Self.at(1))
        #expect(standbys.flushed == 0)
        // The operator drops the slot.
        standbys.see([Self.one("old", 900)], now: Self.at(2))
        #expect(standbys.flushed == 900)
    }

    @Test func `a standby that starts anew from further behind is believed`() {
        var standbys = Standbys()
        standbys.see([Self.one("a", 500)], now: Self.at(0))
        standbys.see([Self.one("a", 100)], now: Self.at(1))
        #expect(standbys.flushed == 100)
    }

    @Test func `a slot whose standby is disconnected counts as long as the slot exists`() {
        var standbys = Standbys()
        let slot = StandbyPosition(name: "s", flushed: 50, hasSlot: true)
        standbys.see([Self.one("a", 500), slot], now: Self.at(0))
        #expect(standbys.flushed == 50 && standbys.count == 2)
        standbys.see([Self.one("a", 600)], now: Self.at(1))
        #expect(standbys.flushed == 600 && standbys.count == 1)
    }

    @Test func `a standby whose slot is lost counts for an hour more, unless the slot is dropped`()
    {
        let slot = StandbyPosition(name: "s", flushed: 50, hasSlot: true)
        let lost = StandbyPosition(name: "s", flushed: nil, hasSlot: true, isLost: true)
        var standbys = Standbys()
        standbys.see([Self.one("a", 500), slot], now: Self.at(0))
        Self.watch(&standbys, [Self.one("a", 600), lost], from: 0, to: 3601)
        #expect(standbys.flushed == 50 && standbys.count == 2)
        #expect(standbys.lostSlots == ["s"] && !standbys.isHidden)
        var dropped = standbys
        dropped.see([Self.one("a", 700)], now: Self.at(3600))
        #expect(dropped.flushed == 700 && dropped.count == 1 && dropped.lostSlots.isEmpty)
        // The standby is rebuilt.
        var renewed = standbys
        renewed.see([Self.one("a", 700), slot], now: Self.at(3600))
        #expect(renewed.flushed == 50 && renewed.count == 2 && renewed.lostSlots.isEmpty)
        standbys.see([Self.one("a", 700), lost], now: Self.at(3601))
        #expect(standbys.flushed == 700 && standbys.count == 1 && standbys.lostSlots == ["s"])
    }

    @Test func `a slot that was lost before the first look does not count`() {
        var standbys = Standbys()
        standbys.see(
            [StandbyPosition(name: "s", flushed: nil, hasSlot: true, isLost: true)],
            now: Self.at(0))
        #expect(standbys.flushed == nil && standbys.count == 0 && standbys.lostSlots == ["s"])
    }

    @Test func `a position that may not be seen is none`() {
        var standbys = Standbys()
        standbys.see([Self.one("a", nil)], now: Self.at(0))
        #expect(standbys.flushed == 0 && standbys.isHidden)
    }
}
