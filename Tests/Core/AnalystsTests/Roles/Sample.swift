import Postgres
import TestSupport

/// Random readings of a few devices, in a database and as plain values.
struct Sample {
    struct Reading {
        let device: Int
        let kind: String
        /// Seconds since 2000-01-01.
        let second: Int
        let latitude: Double
        let longitude: Double
        let code: Int
        let value: Double
    }

    static let firstDay = 9537  // 2026-02-10
    static let dayCount = 10
    static let deviceCount = 5

    let connection: Connection
    let readings: [Reading]

    /// Bursts of readings over ten days, with pauses of any length between them.
    init(seed: UInt64) throws {
        connection = try TestCluster.shared.freshConnection(named: "sample")
        connection.deadline = .now + .seconds(60)
        var dice = Dice(seed: seed)
        var readings: [Reading] = []
        for device in 1...Self.deviceCount {
            // One device has no readings.
            guard device > 1 else { continue }
            for _ in 0..<Int.random(in: 3...25, using: &dice) {
                var second =
                    Self.firstDay * 86_400
                    + Int.random(in: 0..<(Self.dayCount - 1) * 86_400, using: &dice)
                for _ in 0..<Int.random(in: 1...12, using: &dice) {
                    second += [0, 1, 20, 60, 900, 1800, 1801, 3600].randomElement(using: &dice)!
                    readings.append(
                        Reading(
                            device: device,
                            kind: ["gps", "vital", "event"].randomElement(using: &dice)!,
                            second: second,
                            latitude: Double(Int.random(in: -80...80, using: &dice)),
                            longitude: Double(Int.random(in: -180...180, using: &dice)),
                            code: [1, 20, 99].randomElement(using: &dice)!,
                            value: Double(Int.random(in: 0...400, using: &dice)) / 8))
                }
            }
        }
        // A reading that repeats is stored only once.
        var seen: Set<String> = []
        self.readings = readings.filter { reading in
            let identity =
                switch reading.kind {
                case "gps": "\(reading.latitude) \(reading.longitude)"
                case "vital": "\(reading.code) \(reading.value)"
                default: ""
                }
            return seen.insert(
                "\(reading.device) \(reading.kind) \(reading.second) \(identity)"
            ).inserted
        }
        try store()
    }

    private func store() throws {
        func time(_ second: Int) -> String {
            "timestamptz '2000-01-01 00:00:00+00' + interval '\(second) s'"
        }
        var sql = "SELECT sluice.ensure_days('2026-02-08', '2026-02-22');"
        for device in 1...Self.deviceCount {
            sql += """
                INSERT INTO sluice.device (device_key, device_id, user_id)
                VALUES (\(device), 'device-\(device)', 'user-\(device % 2)');
                """
        }
        for reading in readings {
            let (key, at) = (reading.device, time(reading.second))
            switch reading.kind {
            case "gps":
                sql +=
                    "INSERT INTO sluice.gps VALUES "
                    + "(\(key), \(at), \(reading.latitude), \(reading.longitude), NULL);"
            case "vital":
                sql +=
                    "INSERT INTO sluice.vital VALUES "
                    + "(\(key), \(at), \(reading.code), \(reading.value));"
            default:
                sql += "INSERT INTO sluice.event VALUES (\(key), \(at), 'label', NULL, NULL);"
            }
        }
        for day in 0..<Self.dayCount + 1 {
            sql += "SELECT sluice.rebuild_rollups(date '2000-01-01' + \(Self.firstDay + day));"
        }
        for device in 1...Self.deviceCount {
            let own = readings.filter { $0.device == device }
            func newest(_ kind: String) -> String {
                own.filter { $0.kind == kind }.map(\.second).max().map(time) ?? "'-infinity'"
            }
            sql += """
                INSERT INTO sluice.device_state
                    (device_key, key_check, readings, gps_until, vital_until, event_until)
                VALUES (\(device), 0, \(own.count), \(newest("gps")), \(newest("vital")),
                    \(newest("event")));
                """
        }
        // A few hours of some devices are summed; the views read the rows for all others.
        try connection.execute(
            sql + "SELECT sluice.sum_hours(hours_max => 50), sluice.sum_hours(1)")
    }

    /// All rows of a query, with their columns as PostgreSQL prints a row.
    func rows(_ sql: String) throws -> [String] {
        let rows = try connection.query("SELECT v::text FROM (\(sql)) v")
        return (0..<rows.count).map { rows.string($0, 0) }
    }

    /// Each device's readings in order of time.
    func byDevice() -> [Int: [Reading]] {
        Dictionary(grouping: readings, by: \.device).mapValues {
            $0.sorted { $0.second < $1.second }
        }
    }
}
