import Fleet
import Foundation
import Readings

/// The largest live day before yesterday is sealed, while its late readings still arrive.
struct DaySealed: Fault {
    let name = "seal-day"
    let summary = "the largest live day before yesterday is sealed"

    private struct Day: Decodable {
        let day: String
        let table: String
        let form: String
        let bytes: Int?
    }

    func strike(
        _ rig: Rig, _ clients: Clients, _ random: inout SeededGenerator
    ) throws -> String {
        let last = Timestamp(
            microseconds: (Int64(Timestamp.now().day) - 2) * Timestamp.microsecondsPerDay)
        let text = try rig.nodes[0].command(
            [
                "days", "list", "--json", "--to", last.dayText, "--kind", "gps", "--kind", "vital",
                "--kind", "event",
            ])
        let days = try JSONDecoder().decode([Day].self, from: Data(text.utf8))
        guard
            let day = days.filter({ $0.form == "live" })
                .max(by: { ($0.bytes ?? 0) < ($1.bytes ?? 0) })
        else { return "none is live" }
        do throws(ChaosFailure) {
            try rig.nodes[0].command(["days", "seal", day.day, "--kind", day.table])
        } catch {
            guard error.isBusy else { throw error }
            return "\(day.day) of \(day.table) is busy"
        }
        return "\(day.day) of \(day.table), \((day.bytes ?? 0) >> 20) MiB"
    }
}
