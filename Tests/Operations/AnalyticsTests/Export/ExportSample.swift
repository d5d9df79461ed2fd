import Analytics
import Foundation
import Postgres
import TestSupport

/// Devices with awkward names and random readings.
struct ExportSample {
    let connection: Connection
    let settings: ConnectionSettings

    static let devices = ["a'b\"c,d", "dévice\n2", "plain", "zz\u{1}<&>", "nothing"]

    init(seed: UInt64) throws {
        settings = try TestCluster.shared.freshDatabase(named: "export")
        connection = try Connection.open(settings, deadline: .now + .seconds(60))
        var dice = Dice(seed: seed)
        try connection.execute("SELECT sluice.ensure_days('2026-02-01', '2026-02-20')")
        for (key, device) in Self.devices.enumerated() {
            try insert(device, key: Int64(key), &dice)
        }
    }

    private func insert(_ device: String, key: Int64, _ dice: inout Dice) throws {
        var parameters = Parameters()
        parameters.append(int8: key)
        parameters.append(text: device)
        parameters.append(text: "user \(key % 2)")
        try connection.query(
            "INSERT INTO sluice.device (device_key, device_id, user_id) VALUES ($1, $2, $3)",
            parameters)
        try connection.execute(
            "INSERT INTO sluice.device_state (device_key, key_check) VALUES (\(key), 0)")
        guard device != "nothing" else { return }
        for _ in 0..<120 {
            // 2026-02-02 and later, to the microsecond.
            let time =
                823_305_600_000_000 + Int64.random(in: 0..<600_000, using: &dice) * 1_000_003
            var parameters = Parameters()
            parameters.append(int8: key)
            parameters.append(timestamptz: time)
            switch Int.random(in: 0..<3, using: &dice) {
            case 0:
                let scale = pow(10, Double(Int.random(in: -12...0, using: &dice)))
                parameters.append(float8: Double.random(in: -90...90, using: &dice) * scale)
                parameters.append(float8: Double.random(in: -180...180, using: &dice) * scale)
                parameters.append(
                    float8: Bool.random(using: &dice)
                        ? nil : Double.random(in: 0...50, using: &dice))
                try connection.query(
                    "INSERT INTO sluice.gps VALUES ($1, $2, $3, $4, $5)", parameters)
            case 1:
                parameters.append(int2: Int16.random(in: .min ... .max, using: &dice))
                parameters.append(float8: Double.random(in: -1e9...1e9, using: &dice))
                try connection.query("INSERT INTO sluice.vital VALUES ($1, $2, $3, $4)", parameters)
            default:
                parameters.append(text: Self.text(&dice) + "x")
                parameters.append(text: Bool.random(using: &dice) ? nil : Self.text(&dice))
                parameters.append(
                    jsonb: Bool.random(using: &dice)
                        ? nil : #"{"a": [1, "\\ \" \n ü"], "b": {"c": null}}"#)
                try connection.query(
                    "INSERT INTO sluice.event VALUES ($1, $2, $3, $4, $5)", parameters)
            }
        }
        try connection.execute(
            """
            UPDATE sluice.device_state s SET
                gps_until = coalesce((SELECT max(t) FROM sluice.gps g
                    WHERE g.device_key = s.device_key), '-infinity')
            WHERE device_key = \(key)
            """)
    }

    /// Texts with characters that formats quote or mistake for null or an end.
    private static func text(_ dice: inout Dice) -> String {
        let parts = ["", "\\.", "\n", "\r\n", "\"", ",", "'", "\\", "\\N", "é", "🜚", "\t", "\u{2}"]
        return (0..<Int.random(in: 0...4, using: &dice)).map { _ in
            parts[Int.random(in: 0..<parts.count, using: &dice)]
        }.joined()
    }

    /// Runs an export into a file and reads the file.
    func export(
        _ run: (Connection, ExportOutput) throws -> ExportProgress
    ) throws -> (data: Data, outcome: ExportProgress) {
        let path = TestCluster.freshDirectory()
        let output = try ExportOutput(path: path)
        let outcome = try run(connection, output)
        try output.finish()
        defer { try? FileManager.default.removeItem(atPath: path) }
        return (try Data(contentsOf: URL(fileURLWithPath: path)), outcome)
    }
}
