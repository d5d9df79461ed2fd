import Analytics
import Foundation
import Postgres
import Readings
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct RowExportTests {
    /// The view's columns of times.
    private static func times(of table: ExportTable) -> [String] {
        guard case .readings(let kind) = table else { return [table.timeColumn ?? "first_seen"] }
        return ["time"]
            + kind.schema.fields.compactMap {
                if case .time = $0.rule { $0.viewColumn } else { nil }
            }
    }

    /// A view's column as an export writes it.
    private static func text(_ column: String, _ table: ExportTable) -> String {
        times(of: table).contains(column)
            ? "to_char(\(column) AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')" : column
    }

    /// The view's rows as jsonb texts, sorted. The server compares numbers digit by digit.
    private static func expected(
        _ sample: ExportSample, _ table: ExportTable, where condition: String = "true"
    ) throws -> [String] {
        let times = times(of: table).map { "'\($0)', \(text($0, table))" }
        let rows = try sample.connection.query(
            """
            SELECT (to_jsonb(v) || jsonb_build_object(\(times.joined(separator: ", "))))::text
            FROM analytics.\(table.rawValue) v WHERE \(condition)
            """)
        return (0..<rows.count).map { rows.string($0, 0) }.sorted()
    }

    /// Lines of JSON in the same form.
    private static func canonical(
        _ data: Data, _ sample: ExportSample
    ) throws -> [String] {
        let lines = String(decoding: data, as: UTF8.self).split(separator: "\n")
        var parameters = Parameters()
        parameters.append(texts: lines.map { String($0) })
        let rows = try sample.connection.query(
            "SELECT l::jsonb::text FROM unnest($1::text[]) WITH ORDINALITY l (l, n) ORDER BY n",
            parameters)
        return (0..<rows.count).map { rows.string($0, 0) }
    }

    private static func object(_ text: some StringProtocol) throws -> NSDictionary {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSDictionary)
    }

    private static let readings = ReadingKind.allCases.map { ExportTable.readings($0) }

    @Test(arguments: readings, [1, 2] as [UInt64])
    func `NDJSON read back equals the view`(table: ExportTable, seed: UInt64) throws {
        let sample = try ExportSample(seed: seed)
        let (data, outcome) = try sample.export {
            try RowExport(table, as: .ndjson, in: ExportScope()).run(on: $0, to: $1)
        }
        let expected = try Self.expected(sample, table)
        #expect(outcome.rows == expected.count && expected.count > 50)
        #expect(outcome.bytes == data.count)
        #expect(try Self.canonical(data, sample).sorted() == expected)
    }

    @Test(arguments: readings, [3, 4] as [UInt64])
    func `CSV read back equals the view`(table: ExportTable, seed: UInt64) throws {
        let sample = try ExportSample(seed: seed)
        let (data, outcome) = try sample.export {
            try RowExport(table, as: .csv, in: ExportScope()).run(on: $0, to: $1)
        }
        var rows = CSV.rows(String(decoding: data, as: UTF8.self))
        let heads = rows.removeFirst()
        #expect(outcome.rows == rows.count)
        let columns = heads.map { "(\(Self.text($0 ?? "", table)))::text" }
        let expected = try sample.connection.query(
            "SELECT \(columns.joined(separator: ", ")) FROM analytics.\(table.rawValue)")
        let wanted = (0..<expected.count).map { row in
            heads.indices.map { expected.isNull(row, $0) ? nil : expected.string(row, $0) }
        }
        func sorted(_ rows: [[String?]]) -> [String] { rows.map { "\($0)" }.sorted() }
        let read = rows.map { row in
            row.map { $0.map { $0.hasPrefix("'") ? String($0.dropFirst()) : $0 } }
        }
        #expect(sorted(read) == sorted(wanted))
    }

    @Test func `no cell of a CSV file is a formula to a spreadsheet`() throws {
        let sample = try ExportSample(seed: 8)
        let texts = [
            "=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1", "＋1", "－1", "＠1", "'=1",
            "''", "a=1", " =1", "",
        ]
        var parameters = Parameters()
        parameters.append(texts: texts)
        try sample.connection.query(
            """
            INSERT INTO sluice.event (device_key, t, label, val_text)
            SELECT 2, '2026-02-19', 'formula', n FROM unnest($1) n
            """, parameters)
        var scope = ExportScope()
        scope.from = Timestamp(unixSeconds: 1_771_459_200)
        let (data, _) = try sample.export {
            try RowExport(.readings(.event), as: .csv, in: scope).run(on: $0, to: $1)
        }
        let rows = CSV.rows(String(decoding: data, as: UTF8.self)).dropFirst()
        let found = Set(rows.map { $0[4] ?? "" })
        #expect(found == Set(texts.map { Set("a ").contains($0.first ?? "a") ? $0 : "'\($0)" }))
    }

    @Test func `devices, users and times filter the export, in order of device and time`() throws {
        let sample = try ExportSample(seed: 5)
        var scope = ExportScope()
        scope.devices = ["a'b\"c,d", "plain"]
        // 2026-02-03T12:00:00Z to 2026-02-05T00:00:00Z.
        scope.from = Timestamp(unixSeconds: 1_770_120_000)
        scope.to = Timestamp(unixSeconds: 1_770_249_600)
        let (data, _) = try sample.export {
            try RowExport(.readings(.vital), as: .ndjson, in: scope).run(on: $0, to: $1)
        }
        let found = try Self.canonical(data, sample)
        let expected = try Self.expected(
            sample, .readings(.vital),
            where: """
                device_id IN ('a''b"c,d', 'plain') AND time >= '2026-02-03 12:00Z'
                AND time < '2026-02-05Z'
                """)
        #expect(!expected.isEmpty)
        #expect(found.sorted() == expected)
        let order = try found.map { text in
            let row = try Self.object(text)
            let time = try #require(row["time"] as? String)
            return try "\(time.prefix(10)) \(#require(row["device_id"] as? String)) \(time)"
        }
        #expect(order == order.sorted())

        scope = ExportScope()
        scope.users = ["user 1"]
        let (ofUser, _) = try sample.export {
            try RowExport(.readings(.event), as: .csv, in: scope).run(on: $0, to: $1)
        }
        #expect(
            try CSV.rows(String(decoding: ofUser, as: UTF8.self)).count - 1
                == Self.expected(sample, .readings(.event), where: "user_id = 'user 1'").count)
        scope.from = Timestamp(unixSeconds: 4_000_000_000)
        let (ofNow, none) = try sample.export {
            try RowExport(.readings(.event), as: .csv, in: scope).run(on: $0, to: $1)
        }
        #expect(none.rows == 0)
        #expect(
            String(decoding: ofNow, as: UTF8.self)
                == "device_id,user_id,time,label,value,metadata\n")
    }

    @Test func `an unknown device or user is reported, and no file is written`() throws {
        let sample = try ExportSample(seed: 7)
        try sample.connection.execute(
            """
            INSERT INTO sluice.quarantine
                (device_key, device_id, reason, body, reading_index, api_key)
            VALUES (1, 'clash', 'device_key_clash', '{}', -1, 'default')
            """)
        let path = TestCluster.freshDirectory() + ".csv"
        func fault(
            _ devices: [String], _ users: [String], tracks: Bool = false
        ) throws -> ExportFault? {
            var scope = ExportScope()
            scope.devices = devices
            scope.users = users
            let output = try ExportOutput(path: path)
            do throws(ExportFault) {
                if tracks {
                    _ = try TrackExport(as: .gpx, in: scope, gap: .seconds(60))
                        .run(on: sample.connection, to: output)
                } else {
                    _ = try RowExport(.readings(.gps), as: .csv, in: scope)
                        .run(on: sample.connection, to: output)
                }
                return nil
            } catch {
                return error
            }
        }
        for tracks in [false, true] {
            guard
                case .unknown(["unknown"], ["nobody", "no'one"])? = try fault(
                    ["plain", "unknown"], ["user 1", "nobody", "no'one"], tracks: tracks)
            else {
                Issue.record("no fault")
                return
            }
        }
        #expect(try fault(["clash"], []) == nil)
        let other = try sample.connection.query(
            """
            SELECT device_id FROM analytics.device WHERE user_id <> 'user 1' LIMIT 1
            """
        ).string(0, 0)
        guard case .noneOfUsers? = try fault([other], ["user 1"]) else {
            Issue.record("no fault")
            return
        }
        #expect(access(path, F_OK) != 0 && access(path + ".part", F_OK) != 0)
    }

    @Test(arguments: ExportTable.allCases)
    func `every table can be exported in both formats`(table: ExportTable) throws {
        let sample = try ExportSample(seed: 6)
        try sample.connection.execute(
            """
            INSERT INTO sluice.quarantine
                (device_key, device_id, reason, body, reading_index, api_key)
            VALUES (1, 'plain', 'type_missing', '{"t": "ü"}', 3, 'default');
            SELECT sluice.rebuild_rollups(d::date)
            FROM generate_series('2026-02-01'::date, '2026-02-19', '1 day') d
            """)
        let count = Int(
            try sample.connection.query("SELECT count(*) FROM analytics.\(table.rawValue)")
                .int64(0, 0))
        #expect(count > 0)
        for format in RowFormat.allCases {
            let (data, outcome) = try sample.export {
                try RowExport(table, as: format, in: ExportScope()).run(on: $0, to: $1)
            }
            #expect(outcome.rows == count)
            let text = String(decoding: data, as: UTF8.self)
            switch format {
            case .csv: #expect(CSV.rows(text).count == count + 1)
            case .ndjson:
                for line in text.split(separator: "\n") { _ = try Self.object(line) }
            }
        }
    }

    @Test func `an analyst may export, and a database without the views is rejected`() throws {
        let sample = try ExportSample(seed: 7)
        try sample.connection.execute("SET ROLE sluice_reader")
        let (data, _) = try sample.export {
            try RowExport(.readings(.gps), as: .csv, in: ExportScope()).run(on: $0, to: $1)
        }
        #expect(data.count > 1000)
        let empty = try TestCluster.shared.freshConnection(named: "empty", migrated: false)
        let output = try ExportOutput(path: TestCluster.freshDirectory())
        #expect {
            try RowExport(.readings(.gps), as: .csv, in: ExportScope()).run(on: empty, to: output)
        } throws: { error in
            if case .schemaOlder? = error as? ExportFault { true } else { false }
        }
    }
}
