import Analysts
import Foundation
import Postgres
import TestSupport
import Testing

/// Each file of `sql/queries`, each panel of the dashboards that asks the database, and a few more
/// statements keep within the budgets of `sql/queries/budgets.csv`, with the statistics that a
/// server has made.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct BudgetTests {
    /// A statement, or a file of psql's, under the name that its budget has.
    struct Query: CustomTestStringConvertible {
        let name: String
        let sql: String
        var testDescription: String { name }
    }

    static let queries: [Query] = {
        do {
            return try files() + panels() + statements
        } catch {
            fatalError("no queries: \(error)")
        }
    }()

    private static let statements =
        [
            Query(
                name: "vital_minute: heart rate of a day",
                sql: """
                    select * from analytics.vital_minute
                    where metric = 'heart_rate' and time >= now() - interval '1 day';
                    """),
            Query(
                name: "vital_minute: heart rate of yesterday",
                sql: """
                    select * from analytics.vital_minute
                    where metric = 'heart_rate' and time >= current_date - 1 and time < current_date;
                    """),
            Query(
                name: "distance_minute: a day",
                sql: """
                    select * from analytics.distance_minute where time >= now() - interval '1 day';
                    """),
            Query(
                name: "distance_minute: yesterday",
                sql: """
                    select * from analytics.distance_minute
                    where time >= current_date - 1 and time < current_date;
                    """),
            Query(
                name: "distance_minute: each seventh hour",
                sql: """
                    select device_id, sum(metres) from analytics.distance_minute
                    where time between now() - interval '7 days' and now()
                        and extract(hour from time) = 7 group by device_id;
                    """),
            Query(
                name: "distance_minute: a device",
                sql: """
                    select * from analytics.distance_minute
                    where device_id = 'device-7' and user_id = 'user-7';
                    """),
            Query(name: "latest_position", sql: "select * from analytics.latest_position;"),
            Query(
                name: "track: faster than 100 m/s",
                sql: "select * from analytics.track where metres_per_second > 100;"),
            Query(
                name: "track: an hour of a device",
                sql: """
                    select * from analytics.track where device_id = 'device-7'
                        and time >= now() - interval '5 hours' and time < now() - interval '4 hours';
                    """),
            Query(
                name: "sessions_by: a month",
                sql: "select * from analytics.sessions_by(from_time => now() - interval '30 days');"
            ),
            Query(
                name: "vital_local_day: a week",
                sql: """
                    select * from analytics.vital_local_day
                    where day between current_date - 6 and current_date;
                    """),
            Query(
                name: "vital_local_day: a device",
                sql: "select * from analytics.vital_local_day where device_id = 'device-7';"),
            Query(
                name: "device_local_day: a device",
                sql: "select * from analytics.device_local_day where device_id = 'device-7';"),
            Query(name: "metric", sql: "select * from analytics.metric;"),
        ]
        + ofApps.map { view in
            Query(
                name: "\(view): a user",
                sql: "select * from analytics.\(view) where user_id = 'user-7';")
        }

    /// Views of what the apps have.
    static let ofApps = [
        "app_user", "calendar_event", "capture", "capture_analysis", "contact", "day_summary",
        "file",
        "hour_summary", "meal", "meal_item", "memory", "mood",
    ]

    private static func files() throws -> [Query] {
        try QueryFileTests.files.map { file in
            Query(
                name: file.replacing(".sql", with: ""),
                sql: try String(
                    contentsOf: QueryFileTests.directory.appendingPathComponent(file),
                    encoding: .utf8))
        }
    }

    private struct Board: Decodable {
        struct Panel: Decodable {
            let title: String
            let targets: [Target]?
        }
        struct Target: Decodable { let rawSql: String? }
        let title: String
        let panels: [Panel]
    }

    /// The last seven days, in steps of ten minutes. Panels of one title have one budget.
    private static func panels() throws -> [Query] {
        let directory = Project.file("deploy/grafana/dashboards")
        return try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
            .flatMap { file in
                let board = try JSONDecoder().decode(
                    Board.self,
                    from: Data(contentsOf: directory.appendingPathComponent(file)))
                return board.panels.flatMap { panel in
                    (panel.targets ?? []).compactMap(\.rawSql).map { sql in
                        Query(name: "panel: \(panel.title)", sql: withoutMacros(sql) + ";")
                    }
                }
            }
    }

    private static func withoutMacros(_ sql: String) -> String {
        sql.replacing(/\$__timeFilter\((\w+)\)/) {
            "\($0.1) between now() - interval '7 days' and now()"
        }.replacing(/\$__timeGroupAlias\((\w+), \$__interval\)/) {
            "date_bin('10 minutes', \($0.1), '2000-01-01') as time"
        }.replacing(/\$\{(user|device):sqlstring\}/, with: "'*'")
    }

    /// Puts EXPLAIN before each statement whose rows are printed. The indented ones set variables.
    private static func explaining(_ sql: String) -> String {
        var isOpen = false
        return sql.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let begins = !isOpen && (line.hasPrefix("select ") || line.hasPrefix("with "))
            if begins { isOpen = true }
            if line.hasSuffix(";") { isOpen = false }
            return begins
                ? "explain (analyze, buffers, timing off, format json) \(line)" : String(line)
        }.joined(separator: "\n")
    }

    // MARK: Data

    /// Two million readings of 200 devices: a tenth of the devices' days arrives two days late.
    private static let data = """
        SELECT sluice.ensure_days(current_date - 20, current_date + 7);
        INSERT INTO sluice.device (device_key, device_id, user_id, model_name, version, first_seen)
            SELECT ('x' || left(encode(sha256(convert_to(id, 'UTF8')), 'hex'), 16))::bit(64)::bigint,
                id, 'user-' || i % 120, 'model ' || i % 7, '1.' || i % 11, now() - interval '20 days'
            FROM generate_series(1, 200) i, concat('device-', i) id;
        CREATE TEMP TABLE slot AS
            SELECT d.device_key, n, now() - interval '1 day' * (20 - day) + interval '170 s' * n
                + interval '1.000001 s' * (d.i * 7 % 170) AS t
            FROM (SELECT device_key, row_number() OVER () AS i FROM sluice.device) d,
                generate_series(0, 19) day, generate_series(1, 500) n
            ORDER BY day + CASE WHEN (d.i + day) % 10 = 0 THEN 2 ELSE 0 END, n;
        INSERT INTO sluice.gps
            SELECT device_key, t, 52 + sin(n / 50.0) / 50, 13 + n / 1e4, 5 + n % 20 FROM slot
            WHERE n % 5 IN (0, 2) AND t < now();
        INSERT INTO sluice.vital
            SELECT device_key, t,
                CASE WHEN n % 10 < 7 THEN 1 WHEN n % 10 = 8 THEN 10 ELSE 20 END, 60 + n * 37 % 50
            FROM slot WHERE n % 5 NOT IN (0, 2) AND n % 50 <> 1 AND t < now();
        INSERT INTO sluice.event
            SELECT device_key, t, CASE n % 3 WHEN 0 THEN 'battery' ELSE 'motion_state' END,
                (array['walking', 'still', 'driving'])[1 + n / 50 % 3], NULL
            FROM slot WHERE n % 50 = 1 AND t < now();
        INSERT INTO sluice.gps_rollup
            SELECT device_key, sluice.hour_of(t), count(*), 0, 59, 1000 FROM sluice.gps
            WHERE t < date_trunc('hour', now()) GROUP BY 1, 2;
        INSERT INTO sluice.vital_rollup
            SELECT device_key, sluice.hour_of(t), count(*), code, 0, 59, min(val), max(val), sum(val),
                max(val)
            FROM sluice.vital WHERE t < date_trunc('hour', now()) GROUP BY 1, 2, 4;
        INSERT INTO sluice.rollup_due
            SELECT DISTINCT device_key, sluice.hour_of(t), 'gps' FROM sluice.gps
            WHERE t >= date_trunc('hour', now());
        INSERT INTO sluice.rollup_due
            SELECT DISTINCT device_key, sluice.hour_of(t), 'vital' FROM sluice.vital
            WHERE t >= date_trunc('hour', now());
        INSERT INTO sluice.device_state (device_key, key_check, readings, gps_until, vital_until,
            event_until, late_readings, gps_late_by_us, late_at)
            SELECT device_key, 0, 10000, g.t, v.t, e.t, 1000, 172800000000, now()
            FROM (SELECT device_key, max(t) AS t FROM sluice.gps GROUP BY 1) g
            JOIN (SELECT device_key, max(t) AS t FROM sluice.vital GROUP BY 1) v USING (device_key)
            JOIN (SELECT device_key, max(t) AS t FROM sluice.event GROUP BY 1) e USING (device_key);
        INSERT INTO sluice.quarantine
            (device_key, device_id, reason, body, reading_index, api_key)
            SELECT device_key, device_id, (array['type_missing', 't_missing'])[1 + n % 2],
                convert_to('{"t":' || n || '}', 'UTF8'), n, 'default'
            FROM sluice.device, generate_series(1, 5) n;
        CREATE TEMP TABLE item AS
            SELECT 'user-' || u AS owner, md5(u || '/' || n) AS id, now() - interval '1 day' * n AS t
            FROM generate_series(0, 119) u, generate_series(1, 40) n;
        INSERT INTO sluice.app_user (user_id, time_zone)
            SELECT DISTINCT owner, (array['Asia/Tokyo', 'America/Los_Angeles', 'Asia/Kolkata',
                'Asia/Kathmandu', 'UTC'])[1 + right(owner, 1)::int % 5] FROM item;
        INSERT INTO sluice.capture (capture_id, user_id, captured_at, received_at)
            SELECT id, owner, t, t FROM item;
        INSERT INTO sluice.capture_analysis
            (capture_id, user_id, captured_at, revision, number, analyser, analysis)
            SELECT id, owner, t, 1, 1, 'local', '{"mood": "calm"}' FROM item;
        INSERT INTO sluice.contact
            (user_id, name_key, name, first_seen, last_seen, mention_count)
            SELECT owner, id, id, t, t, 1 FROM item;
        INSERT INTO sluice.hour_summary (user_id, hour, time_zone, captures, content)
            SELECT owner, sluice.hour_of(t), 'UTC', 1, '{}' FROM item;
        INSERT INTO sluice.day_summary (user_id, date, time_zone, is_final, content)
            SELECT owner, t::date, 'UTC', true, '{"totalCaptures": 3}' FROM item;
        INSERT INTO sluice.meal_log (meal_log_id, user_id, meal_type, status, logged_at, created_at,
            updated_at) SELECT id::uuid, owner, 'lunch', 'processing', t, t, t FROM item;
        INSERT INTO sluice.meal_log_item (meal_log_id, order_index, item_id, food_name, food_type,
            quantity, unit, calories, protein_g, carbs_g, fat_g, created_at)
            SELECT id::uuid, n, gen_random_uuid(), 'egg', 'food', 1, 'g', 1, 1, 1, 1, t
            FROM item, generate_series(0, 2) n;
        INSERT INTO sluice.mood (mood_id, user_id, mood, created_at) SELECT id, owner, 'fine', t FROM item;
        INSERT INTO sluice.keepsake (keepsake_id, user_id, title, created_at)
            SELECT id, owner, id, t FROM item;
        INSERT INTO sluice.calendar_entry (entry_id, user_id, title, date_text, starts_at)
            SELECT id, owner, id, '2026-02-10', t FROM item;
        INSERT INTO sluice.media_file (path, object, digest, bytes, content_type, user_id)
            SELECT 'journal/' || id, id, sha256(convert_to(id, 'UTF8')), 9, 'image/png', owner FROM item;
        INSERT INTO sluice.journal_file (file_id, user_id, kind, record_id, place, name)
            SELECT id, owner, 'mood', id, 0, 'x' FROM item;
        """

    /// The tables that autovacuum analyses by itself, because they have more than 50 rows.
    private static let ofAutovacuum = """
        SELECT c.oid::regclass::text FROM pg_class c
        WHERE c.relkind = 'r' AND (c.relnamespace = 'sluice_partitions'::regnamespace
            OR c.relnamespace = 'sluice'::regnamespace AND c.relname IN (
                'app_user', 'calendar_entry', 'capture', 'capture_analysis', 'contact',
                'day_summary', 'device', 'device_state', 'hour_summary', 'journal_file', 'keepsake',
                'meal_log', 'meal_log_item', 'media_file', 'mood', 'quarantine', 'rollup_due'))
        """

    /// The database, and what happened before it had statistics.
    private struct Fleet {
        let psql: Psql
        let before: Psql.Outcome
    }

    private static let fleet: Fleet = {
        do {
            var settings = try TestCluster.shared.freshDatabase(named: "budgets", isKept: true)
            let connection = try Connection.open(settings, deadline: .now + .seconds(300))
            defer { connection.close() }
            try connection.execute(data)
            let tables = try connection.query(ofAutovacuum)
            for row in 0..<tables.count {
                try connection.execute("ANALYZE \(tables.string(row, 0))")
            }
            _ = try Analysts.create("runs_budgets", validUntil: nil, on: connection)
            settings.user = "runs_budgets"
            let psql = Psql(settings: settings)
            let before = try explain(heartRate, pageCost: 4, secondsMax: 10, psql)
            try PlannerStatistics.refresh(on: connection)
            return Fleet(psql: psql, before: before)
        } catch {
            fatalError("no data: \(error)")
        }
    }()

    private static var heartRate: Query {
        queries.first { $0.name == "11_resting_heart_rate" }!
    }

    private static func explain(
        _ query: Query, pageCost: Double, secondsMax: Int, _ psql: Psql
    ) throws -> Psql.Outcome {
        try psql.run(
            [
                "-qAt", "-c", "SET random_page_cost = \(pageCost)",
                "-c", "SET statement_timeout = '\(secondsMax)s'", "-f", "-",
            ], input: explaining(query.sql))
    }

    /// The default of PostgreSQL, and the value of the private cluster.
    @Test(arguments: queries, [4, 1.1])
    func `a query keeps within its budget`(query: Query, pageCost: Double) throws {
        let budget = try #require(try Budget.all()[query.name], "no budget")
        let outcome = try Self.explain(
            query, pageCost: pageCost, secondsMax: 60, Self.fleet.psql)
        #expect(outcome.status == 0, "\(outcome.err)")
        let figures = try PlanFigures(output: outcome.out)
        #expect(figures.work > 0)
        #expect(budget.covers(figures), "\(query.name): \(figures)")
    }

    @Test func `without statistics the resting heart rate exceeds its budget`() throws {
        let budget = try #require(try Budget.all()[Self.heartRate.name])
        let before = Self.fleet.before
        if before.status == 0 {
            let figures = try PlanFigures(output: before.out)
            #expect(!budget.covers(figures), "\(figures)")
        } else {
            #expect(before.err.contains("statement timeout"), "\(before.err)")
        }
    }

    @Test func `each budget is of a query`() throws {
        #expect(try Set(Budget.all().keys) == Set(Self.queries.map(\.name)))
    }
}
