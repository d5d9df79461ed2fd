import Fleet
import Foundation
import Oracle

/// Devices that return after a long time send one reading for each of 20 to 119 days. In half the
/// rounds Sluice is killed meanwhile. In the end all readings are stored, once.
struct LongHistory: Fault {
    let name = "long-history"
    let summary = "batches with old readings of many days; Sluice killed in half the rounds"
    let plan = RigPlan(
        settings: ["SLUICE_DAYS_PER_MINUTE_MAX": "100000", "SLUICE_DAYS_PER_DEVICE_MAX": "10000"])

    private static let storedSecondsMax = 60.0

    func strike(
        _ rig: Rig, _ clients: Clients, _ random: inout SeededGenerator
    ) throws -> String {
        let node = rig.nodes[0]
        let days = 20 + Int(random.next() % 100)
        let oldest = days + Int(random.next() % 400)
        let devices = (0..<3).map { _ in "returned-\(random.next())" }
        let kills = random.isHeads()
        for device in devices {
            let body = Self.body(device: device, oldest: oldest, days: days)
            var isAcknowledged = false
            for attempt in 0..<200 where !isAcknowledged {
                if kills, attempt == 0, device == devices[1] {
                    node.kill9()
                    try node.start()
                }
                let status = node.probe.ingest(body, key: rig.key)
                isAcknowledged = status == 200 || status == 202
                if !isAcknowledged { rig.hold(seconds: 0.1) }
            }
            if !isAcknowledged { rig.complain("a long history is refused") }
        }
        let session = try rig.database.session()
        let names = devices.map { "'\($0)'" }.joined(separator: ",")
        let limit = Date(timeIntervalSinceNow: Self.storedSecondsMax)
        var stored = 0
        repeat {
            rig.hold(seconds: 0.1)
            stored = try session.number(
                """
                select count(*) from sluice.vital join sluice.device using (device_key)
                where device_id in (\(names))
                """)
        } while stored < days * devices.count && Date() < limit
        if stored != days * devices.count {
            rig.complain("\(stored) of \(days * devices.count) readings of old days are stored")
        }
        return "\(days) days" + (kills ? ", Sluice killed" : "")
    }

    /// A heart rate at the same time of each day.
    private static func body(device: String, oldest: Int, days: Int) -> String {
        let format = ISO8601DateFormatter()
        let start = Date(timeIntervalSinceNow: -Double(oldest) * 86_400)
        let readings = (0..<days).map { day in
            let time = format.string(from: start.addingTimeInterval(Double(day) * 86_400))
            return "{\"t\":\"\(time)\",\"type\":\"vital\",\"code\":1,\"val\":60}"
        }
        return "{\"metadata\":{\"device_id\":\"\(device)\"},\"data\":["
            + readings.joined(separator: ",") + "]}"
    }
}
