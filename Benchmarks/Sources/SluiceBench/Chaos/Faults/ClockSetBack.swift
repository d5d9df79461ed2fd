import Fleet
import Foundation

/// Sluice's clock is set back under load, and forward again. In half the rounds the database is
/// unreachable meanwhile, so that the spool's times go back as well, and Sluice is restarted
/// while its clock is behind.
struct ClockSetBack: Fault {
    let name = "clock-back"
    let summary = "Sluice's clock set back by up to a day, and forward again"
    let plan = RigPlan(hasClock: true)
    var obstacle: String? { RigClock.obstacle }

    func strike(
        _ rig: Rig, _ clients: Clients, _ random: inout SeededGenerator
    ) throws -> String {
        guard let clock = rig.clock else { preconditionFailure("BUG: no clock") }
        let seconds = Int(random.seconds(1...80_000))
        let isAway = random.isHeads()
        if isAway {
            try rig.database.stop(.fast)
            rig.hold(seconds: random.seconds(1.2...2))
        }
        try clock.set(secondsAhead: -seconds)
        rig.hold(seconds: random.seconds(0.5...1.5))
        if isAway {
            rig.nodes[0].kill9()
            try rig.nodes[0].start()
            rig.hold(seconds: random.seconds(0.2...1))
            try rig.database.start()
        }
        rig.hold(seconds: random.seconds(0.2...1))
        try clock.set(secondsAhead: 0)
        return "by \(seconds) s" + (isAway ? ", database stopped, Sluice killed" : "")
    }
}
