import Analysts
import Foundation
import Postgres
import Readings
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
            let kind = ReadingKind.allCases.randomElement(using: &dice)!
            for column in kind.schema.fieldColumns {
                let isNull = column.isOptional && Bool.random(using: &dice)
                switch column.fields[0].rule {
                case .finite:
                    parameters.append(float8: isNull ? nil : Self.number(in: -500...9000, &dice))
                case .share:
                    // Some with one part unknown.
                    let motion = Int64.random(in: 0...50_000_000, using: &dice) << 30
                    parameters.append(int8: isNull ? nil : motion | (1 << 30 - 1))
                case .number(let range):
                    parameters.append(float8: isNull ? nil : Self.number(in: range, &dice))
                case .measure:
                    parameters.append(float8: isNull ? nil : Self.number(in: -1e9...1e9, &dice))
                case .amount:
                    parameters.append(float8: isNull ? nil : Self.number(in: 0...50, &dice))
                case .integer:
                    parameters.append(int2: isNull ? nil : Int16(truncatingIfNeeded: dice.next()))
                case .text(_, let mayBeEmpty):
                    let text = Self.text(&dice) + (mayBeEmpty ? "" : "x")
                    parameters.append(text: isNull ? nil : text)
                case .object:
                    let object = #"{"a": [1, "\\ \" \n ü"], "b": {"c": null}}"#
                    parameters.append(jsonb: isNull ? nil : object)
                case .time: parameters.append(timestamptz: isNull ? nil : time + 1)
                }
            }
            let places = (1...parameters.count).map { "$\($0)" }.joined(separator: ", ")
            try connection.query("INSERT INTO sluice.\(kind.name) VALUES (\(places))", parameters)
        }
        try connection.execute(
            """
            UPDATE sluice.device_state s SET
                gps_until = coalesce((SELECT max(t) FROM sluice.gps g
                    WHERE g.device_key = s.device_key), '-infinity')
            WHERE device_key = \(key)
            """)
    }

    private static func number(in range: ClosedRange<Double>, _ dice: inout Dice) -> Double {
        Double.random(in: range, using: &dice)
            * pow(10, Double(Int.random(in: -12...0, using: &dice)))
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
