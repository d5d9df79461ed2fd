import Fleet
import Foundation
import Readings

/// Both Sluices' clock is set to just before midnight, passes it, and is set back.
struct MidnightPassed: Fault {
    let name = "midnight"
    let summary = "the Sluices' clock passes midnight, and is set right again"
    var obstacle: String? { RigClock.obstacle }

    private static let secondsBefore = 2
    private static let secondsAfter = 4.0

    func strike(
        _ rig: Rig, _ clients: Clients, _ random: inout SeededGenerator
    ) throws -> String {
        guard let clock = rig.clock else { preconditionFailure("BUG: no clock") }
        let now = Timestamp.now()
        let midnight = Int64(now.day + 1) * Timestamp.microsecondsPerDay
        let seconds = Int((midnight - now.microseconds) / 1_000_000) - Self.secondsBefore
        try clock.set(secondsAhead: seconds)
        rig.hold(seconds: Double(Self.secondsBefore) + Self.secondsAfter)
        try clock.set(secondsAhead: 0)
        return "\(seconds) s ahead"
    }
}
