import Analysts
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
            row.map { $0.map(Self.asStored) }
        }
        #expect(sorted(read) == sorted(wanted))
    }

    /// As `sql/README.md` says.
    private static func asStored(_ cell: String) -> String {
        // By scalars, because a carriage return and a line feed are one character.
        cell.replacing(/(^|[;\t\n\r])'/.matchingSemantics(.unicodeScalar)) { $0.output.1 }
    }

    @Test func `no part of a cell of a CSV file is a formula to a spreadsheet`() throws {
        let sample = try ExportSample(seed: 8)
        let texts = [
            "=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1", "＋1", "－1", "＠1", "'=1",
            "''", "a=1", " =1", "", "a;=1+1", "a\t=1", "a;'b", "a; -1", "\u{A0}@x", "\u{FEFF}=1",
            "﹦1",
            "a\u{0B}=1", "\u{0B}=1", "a\n\u{3000}+1;+2", ";", "a;;=1", "a'=1", "'", "a;b",
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
        let found = rows.map { $0[4] ?? "" }
        let different = Set(found.map(Self.asStored)).symmetricDifference(texts)
        #expect(different.isEmpty && found.count == texts.count, "\(different)")
        let formula = /(^|[;\t\n\r])[ \u{0B}\u{0C}\u{A0}\u{200B}\u{3000}\u{FEFF}]*[=+@＝＋－＠﹦﹢﹣﹫-]/
            .matchingSemantics(.unicodeScalar)
        for cell in found { #expect(cell.firstMatch(of: formula) == nil, "\(cell)") }
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
            FROM generate_series('2026-02-01'::date, '2026-02-19', '1 day') d;
            \(Self.ofApps)
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

    /// An item of each kind of the apps, of two users without devices.
    private static let ofApps = """
        CREATE TEMP TABLE item AS
            SELECT u AS owner, md5(u || n) AS id, timestamptz '2026-02-10Z' + n * interval '1 h' AS t
            FROM unnest('{ann,=bob}'::text[]) u, generate_series(1, 3) n;
        INSERT INTO sluice.app_user (user_id) SELECT DISTINCT owner FROM item;
        INSERT INTO sluice.capture (capture_id, user_id, captured_at, received_at, transcription)
            SELECT id, owner, t, t, '=1+1' FROM item;
        INSERT INTO sluice.capture_analysis
            (capture_id, user_id, captured_at, revision, number, analyser, analysis)
            SELECT id, owner, t, 1, 1, 'local', '{"mood": "calm", "themes": ["a"]}' FROM item;
        INSERT INTO sluice.contact
            (user_id, name_key, name, first_seen, last_seen, mention_count)
            SELECT owner, id, id, t, t, 1 FROM item;
        INSERT INTO sluice.hour_summary (user_id, hour, time_zone, captures, content)
            SELECT owner, t, 'UTC', 1, '{}' FROM item;
        INSERT INTO sluice.day_summary (user_id, date, time_zone, is_final, content)
            SELECT DISTINCT owner, t::date, 'UTC', true, '{"totalCaptures": 3}'::jsonb FROM item;
        INSERT INTO sluice.meal_log (meal_log_id, user_id, meal_type, status, logged_at, created_at,
            updated_at) SELECT id::uuid, owner, 'lunch', 'processing', t, t, t FROM item;
        INSERT INTO sluice.meal_log_item (meal_log_id, order_index, item_id, food_name, food_type,
            quantity, unit, calories, protein_g, carbs_g, fat_g, created_at)
            SELECT id::uuid, n, gen_random_uuid(), 'egg', 'food', 1, 'g', 1, 1, 1, 1, t
            FROM item, generate_series(0, 2) n;
        INSERT INTO sluice.mood (mood_id, user_id, mood, tags, created_at)
            SELECT id, owner, 'fine', '{a,b}', t FROM item;
        INSERT INTO sluice.keepsake (keepsake_id, user_id, title, created_at)
            SELECT id, owner, id, t FROM item;
        INSERT INTO sluice.calendar_entry (entry_id, user_id, title, date_text, starts_at)
            SELECT id, owner, id, '2026-02-10', t FROM item;
        INSERT INTO sluice.media_file (path, object, digest, bytes, content_type, user_id)
            SELECT 'journal/' || id, id, sha256(convert_to(id, 'UTF8')), 9, 'image/png', owner FROM item
        """

    @Test func `items of apps are selected by user and time, also of users without devices`() throws
    {
        let sample = try ExportSample(seed: 8)
        try sample.connection.execute(Self.ofApps)
        for (view, count) in [
            (ExportTable.Other.mood, 2), (.mealItem, 6), (.capture, 2), (.file, 3),
        ] {
            var scope = ExportScope()
            scope.users = ["ann"]
            if view != .file {
                scope.from = Timestamp(microseconds: 9537 * 86_400_000_000 + 7_200_000_000)
            }
            let (_, outcome) = try sample.export {
                try RowExport(.other(view), as: .csv, in: scope).run(on: $0, to: $1)
            }
            #expect(outcome.rows == count, "\(view)")
        }
        // Who is known has nothing of other kinds, which is no fault.
        try sample.connection.execute("INSERT INTO sluice.app_user (user_id) VALUES ('carl')")
        var scope = ExportScope()
        for user in ["carl", "user 1"] {
            scope.users = [user]
            let (_, outcome) = try sample.export {
                try RowExport(.other(.mood), as: .csv, in: scope).run(on: $0, to: $1)
            }
            #expect(outcome.rows == 0)
        }
        scope.users = ["carl"]
        let (positions, _) = try sample.export {
            try RowExport(.readings(.gps), as: .csv, in: scope).run(on: $0, to: $1)
        }
        #expect(String(decoding: positions, as: UTF8.self).hasPrefix("device_id,user_id,"))
        #expect(positions.count(where: { $0 == 10 }) == 1)
        let (tracks, _) = try sample.export {
            try TrackExport(as: .gpx, in: scope, gap: .seconds(60)).run(on: $0, to: $1)
        }
        #expect(!String(decoding: tracks, as: UTF8.self).contains("<trk"))
        scope.users = ["ann", "nobody"]
        let output = try ExportOutput(path: TestCluster.freshDirectory())
        #expect {
            try RowExport(.other(.mood), as: .csv, in: scope).run(on: sample.connection, to: output)
        } throws: { error in
            if case .unknown(devices: [], users: ["nobody"])? = error as? ExportFault {
                true
            } else {
                false
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
