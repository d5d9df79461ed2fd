import Analysts
import Foundation
import Postgres
import TestSupport
import Testing

/// Each file of `sql/queries`, run by psql as an analyst.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct QueryFileTests {
    static let directory = Project.file("sql/queries")

    static let files =
        ((try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? [])
        .filter { $0.hasSuffix(".sql") }.sorted()

    /// A database with the last days of three devices, with readings of all kinds.
    static let settings: ConnectionSettings = {
        do {
            let settings = try TestCluster.shared.freshDatabase(named: "queries", isKept: true)
            let connection = try Connection.open(settings, deadline: .now + .seconds(100))
            defer { connection.close() }
            try connection.execute(data)
            _ = try Analysts.create("runs_queries", validUntil: nil, on: connection)
            var analyst = settings
            analyst.user = "runs_queries"
            return analyst
        } catch {
            fatalError("no data: \(error)")
        }
    }()

    static let data = """
        SELECT sluice.ensure_days(current_date - 8, current_date + 1);
        INSERT INTO sluice.device (device_key, device_id, user_id, model_name, version)
            SELECT i, 'device-' || i, 'ann', 'iPhone 15 Pro', '1.' || i FROM generate_series(1, 3) i;
        INSERT INTO sluice.gps
            SELECT i, t, 52 + sin(extract(epoch FROM t) / 3000) / 50, 13 + i / 10.0, 5
            FROM generate_series(1, 3) i,
                generate_series(now() - interval '7 days', now(), '1 min') t
            WHERE extract(hour FROM t) NOT BETWEEN 2 AND 5;
        INSERT INTO sluice.vital
            SELECT device_key, t, c, 60 + extract(minute FROM t) FROM sluice.gps,
                unnest('{1, 99}'::int[]) c;
        -- Stored before values were bounded.
        INSERT INTO sluice.vital
            SELECT 1, t, 1, 1.797e308 FROM sluice.gps WHERE device_key = 1 AND t > now() - interval '1 day';
        INSERT INTO sluice.gps
            SELECT 1, t + interval '1 s', c, -c, 5 FROM sluice.gps, unnest('{7e-310, 0}'::float8[]) c
            WHERE device_key = 1 AND t > now() - interval '1 day';
        -- Heard of last, and without positions and events.
        INSERT INTO sluice.device (device_key, device_id, user_id) VALUES (4, 'device-4', 'ann');
        INSERT INTO sluice.vital SELECT 4, now() - n * interval '1 minute', 1, 60
            FROM generate_series(0, 9) n;
        INSERT INTO sluice.device_state (device_key, key_check, readings, vital_until, last_seen)
            VALUES (4, 0, 10, now(), now() + interval '1 s');
        INSERT INTO sluice.event
            SELECT i, t, 'motion_state',
                CASE WHEN extract(hour FROM t)::int % 2 = 0 THEN 'walking' ELSE 'still' END, NULL
            FROM generate_series(1, 3) i,
                generate_series(now() - interval '7 days', now(), '1 hour') t
            WHERE extract(hour FROM t) NOT BETWEEN 2 AND 5;
        INSERT INTO sluice.device_state (device_key, key_check, readings, late_readings,
            gps_until, vital_until, event_until, gps_late_by_us, late_at)
            SELECT device_key, 0, count(*), 3, max(t), max(t), max(t),
                60000000::bigint * CASE device_key WHEN 3 THEN 575979 ELSE 1 END, now()
            FROM sluice.gps GROUP BY 1;
        SELECT sluice.rebuild_rollups(day::date)
            FROM generate_series(current_date - 8, current_date, '1 day') day;
        INSERT INTO sluice.quarantine
            (device_key, device_id, reason, body, reading_index, api_key)
            VALUES (1, 'device-1', 'type_missing', '{"t": "x"}', 3, 'default');
        ANALYZE
        """

    private static func psql(_ arguments: [String]) throws -> Psql.Outcome {
        try Psql(settings: settings).run(arguments)
    }

    /// Column names in the head of a table that psql printed.
    private static func heads(_ line: some StringProtocol) -> [String] {
        line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    @Test(arguments: files)
    func `an example runs as an analyst and prints the columns of its sample`(file: String) throws {
        let path = Self.directory.appendingPathComponent(file).path
        let outcome = try Self.psql(["-f", path])
        #expect(outcome.status == 0 && outcome.err.isEmpty, "\(outcome.err)")
        #expect(!outcome.out.contains("(0 rows)") && outcome.out.contains("row"), "\(outcome.out)")
        let comment = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
            .prefix { $0.hasPrefix("--") }.map { String($0.dropFirst(2)) }
        let rule = try #require(
            comment.firstIndex { $0.contains("-+-") }, "no sample of its output")
        let printed = try #require(outcome.out.split(separator: "\n").first)
        #expect(Self.heads(printed) == Self.heads(comment[rule - 1]))
        #expect(comment.contains { $0.contains("Parameters:") })
    }

    @Test func `a delay of more than a day is printed in days`() throws {
        let path = Self.directory.appendingPathComponent("07_what_can_be_trusted.sql").path
        let outcome = try Self.psql(["-f", path])
        #expect(outcome.out.contains(" 399 days 23:39:00 "), "\(outcome.out)")
    }

    @Test func `there are examples`() {
        #expect(Self.files.count >= 8)
    }

    @Test func `parameters are used`() throws {
        let track = Self.directory.appendingPathComponent("03_a_day_of_one_device.sql").path
        let device = try Self.psql(["-f", track, "-v", "device=device-2"])
        #expect(device.status == 0 && !device.out.contains("(0 rows)"))
        let nobody = try Self.psql(["-f", track, "-v", "device=nobody's", "-v", "day=2026-02-10"])
        #expect(nobody.status == 0 && nobody.out.contains("(0 rows)"), "\(nobody.err)")
        let gaps = Self.directory.appendingPathComponent("06_longest_gaps.sql").path
        let long = try Self.psql(["-f", gaps, "-v", "longer_than=10 hours"])
        #expect(long.status == 0 && long.out.contains("(0 rows)"), "\(long.out)")
    }
}
