import Fleet
import Foundation
import Readings

/// A day of a device of its own, two months and more ago, is sent and then archived as at night.
struct DayArchived: Fault {
    let name = "archive-day"
    let summary = "a day of two months ago is sent, archived and verified"

    private static let readings = 600
    private static let retention = "SLUICE_RETENTION=60d"
    private static let ages: ClosedRange<Int64> = 62...690

    func strike(
        _ rig: Rig, _ clients: Clients, _ random: inout SeededGenerator
    ) throws -> String {
        let age = Self.ages.lowerBound + Int64(random.next() % UInt64(Self.ages.count))
        let day = Timestamp(
            microseconds: (Int64(Timestamp.now().day) - age) * Timestamp.microsecondsPerDay)
        let data = (0..<Self.readings).map {
            #"{"t":\#(day.unixSeconds + Int64($0)),"type":"vital","code":1,"val":\#($0)}"#
        }
        let body =
            #"{"metadata":{"device_id":"archived"},"data":["#
            + data.joined(separator: ",") + "]}"
        let status = rig.nodes[0].probe.ingest(body, key: rig.key)
        // The day may be archived already.
        guard status == 200 else {
            return "not stored: " + (status.map { "status \($0)" } ?? "no answer")
        }
        do throws(ChaosFailure) {
            try rig.nodes[0].command(["archive", "run", "--trust-clock", "--set", Self.retention])
        } catch {
            guard error.isBusy else { throw error }
            return "\(day.dayText) is busy"
        }
        try rig.nodes[0].command(["archive", "verify", "--day", day.dayText])
        return day.dayText
    }
}
