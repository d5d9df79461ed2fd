import Doctor
import Postgres
import Readings
import TestSupport
import Testing

/// What operators may do to the tables, done to a real database.
@Suite(.timeLimit(.minutes(10)))
struct AlterationTests {
    private static let day = "2026-02-10"
    private static let partition = "sluice_partitions.gps_20260210"

    /// A database with a device, its readings of one day, and the days around it.
    private static func database() throws -> Connection {
        let connection = try TestCluster.shared.freshConnection(named: "alterations")
        try connection.execute(
            """
            SELECT sluice.ensure_days('2026-02-01', '2026-02-20');
            INSERT INTO sluice.device (device_key, device_id, user_id)
                SELECT k, 'device-' || k, 'ann' FROM generate_series(1, 20) k;
            INSERT INTO sluice.gps SELECT k, t, 1, 2, 3 FROM generate_series(1, 20) k,
                generate_series('2026-02-09 12:00+00'::timestamptz, '2026-02-10 12:00+00', '10 min')
                t;
            INSERT INTO sluice.event SELECT device_key, max(t), 'on' FROM sluice.gps GROUP BY 1;
            INSERT INTO sluice.device_state (device_key, key_check, gps_until, event_until)
                SELECT device_key, 0, max(t), max(t) FROM sluice.gps GROUP BY 1
            """)
        return connection
    }

    private static func findings(_ connection: Connection) throws -> [Finding] {
        connection.deadline = .now + .seconds(100)
        let facts = try DatabaseFacts.gather(on: connection, daysAhead: 0)
        #expect(facts.alterations?.unanswered == [])
        let findings = Examination.findings(Facts(database: .reached(facts), isPrivate: false))
        return findings.filter { names.contains($0.name) && $0.severity > .ok }
    }

    private static let names = [
        "alterations", "detached partitions", "odd partitions", "durability", "triggers",
        "other triggers", "row security", "columns", "constraints", "watermarks", "not examined",
    ]

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let severity: Severity
        let found: String
        let sql: String

        init(_ name: String, _ severity: Severity, _ found: String, _ sql: String) {
            (self.name, self.severity, self.found, self.sql) = (name, severity, found, sql)
        }

        var testDescription: String { "\(name): \(sql)" }
    }

    private static let noop = """
        CREATE FUNCTION public.change() RETURNS trigger LANGUAGE plpgsql
        AS 'BEGIN RETURN NEW; END';
        """

    static let cases = [
        Case(
            "detached partitions", .problem, partition,
            "ALTER TABLE sluice.gps DETACH PARTITION \(partition)"),
        Case(
            "detached partitions", .problem, "sluice_partitions.kept",
            """
            ALTER TABLE sluice.gps DETACH PARTITION \(partition);
            ALTER TABLE \(partition) RENAME TO kept
            """),
        Case(
            "detached partitions", .problem, "elsewhere.gps_20260210",
            """
            ALTER TABLE sluice.gps DETACH PARTITION \(partition); CREATE SCHEMA elsewhere;
            ALTER TABLE \(partition) SET SCHEMA elsewhere
            """),
        Case(
            "odd partitions", .problem, "public.half of gps: FOR VALUES FROM",
            """
            CREATE TABLE public.half PARTITION OF sluice.gps
            FOR VALUES FROM ('2026-03-01 00:00+00') TO ('2026-03-01 12:00+00')
            """),
        Case(
            "odd partitions", .problem, "sluice_partitions.vital_20260301 of vital",
            """
            CREATE TABLE sluice_partitions.vital_20260301 PARTITION OF sluice.vital
            FOR VALUES FROM ('2026-03-01 00:00+00') TO ('2026-03-03 00:00+00')
            """),
        Case(
            "odd partitions", .problem, "sluice_partitions.gps_20260302 of gps",
            """
            CREATE TABLE sluice_partitions.gps_20260302 PARTITION OF sluice.gps
            FOR VALUES FROM ('2026-03-01 00:00+00') TO ('2026-03-02 00:00+00')
            """),
        Case(
            "odd partitions", .problem, "DEFAULT",
            "CREATE TABLE sluice_partitions.rest PARTITION OF sluice.event DEFAULT"),
        Case(
            "durability", .problem, partition, "ALTER TABLE \(partition) SET UNLOGGED"),
        Case(
            "triggers", .problem, "change on sluice.gps",
            """
            \(noop) CREATE TRIGGER change BEFORE INSERT ON sluice.gps
            FOR EACH ROW EXECUTE FUNCTION public.change()
            """),
        Case(
            "triggers", .problem, "change on \(partition)",
            """
            \(noop) CREATE TRIGGER change BEFORE INSERT ON \(partition)
            FOR EACH ROW EXECUTE FUNCTION public.change()
            """),
        Case(
            "triggers", .problem, "change on sluice.device_state",
            """
            \(noop) CREATE TRIGGER change BEFORE UPDATE ON sluice.device_state
            FOR EACH ROW EXECUTE FUNCTION public.change()
            """),
        Case(
            "other triggers", .warning, "change on sluice.vital",
            """
            \(noop) CREATE TRIGGER change AFTER INSERT ON sluice.vital
            FOR EACH STATEMENT EXECUTE FUNCTION public.change()
            """),
        Case(
            "other triggers", .warning, "rule never on sluice.device",
            "CREATE RULE never AS ON DELETE TO sluice.device DO INSTEAD NOTHING"),
        Case(
            "columns", .problem, "site of sluice.gps",
            "ALTER TABLE sluice.gps ADD site text; TRUNCATE sluice.gps; TRUNCATE sluice.event; "
                + "ALTER TABLE sluice.gps ALTER site SET NOT NULL"),
        Case(
            "columns", .problem, "acc of \(partition)",
            "ALTER TABLE \(partition) ALTER acc SET NOT NULL"),
        Case(
            "constraints", .warning, "near on sluice.gps",
            "ALTER TABLE sluice.gps ADD CONSTRAINT near CHECK (lat < 50)"),
        Case(
            "constraints", .warning, "once on sluice.event",
            "CREATE UNIQUE INDEX once ON sluice.event (device_key, t)"),
        Case(
            "watermarks", .problem, "20 devices of a sample",
            "UPDATE sluice.device_state SET gps_until = gps_until - interval '1 hour'"),
        Case(
            "watermarks", .problem, "1 device of a sample",
            "DELETE FROM sluice.device_state WHERE device_key = 7"),
    ]

    @Test(arguments: cases)
    func `an alteration is found, and nothing else`(_ item: Case) throws {
        let connection = try Self.database()
        #expect(try Self.findings(connection) == [])
        try connection.execute(item.sql)
        let findings = try Self.findings(connection)
        let finding = try #require(findings.first { $0.name == item.name }, "\(findings)")
        #expect(findings.count == 1, "\(findings)")
        #expect(finding.severity == item.severity)
        #expect(finding.found.contains(item.found), "\(finding.found)")
        #expect(finding.reason?.hasSuffix(".") == true && !finding.fix.isEmpty)
    }

    @Test func `a sealed day, and one that is being sealed, are no alterations`() throws {
        let connection = try Self.database()
        try SealedDay.seal(Self.day, on: connection)
        try connection.query("SELECT sluice.begin_sealing('gps', '2026-02-09')")
        #expect(try Self.findings(connection) == [])
        try connection.execute("ALTER SERVER sluice_loop OPTIONS (SET dbname 'nowhere')")
        #expect(try Self.findings(connection) == [])
        let facts = try DatabaseFacts.gather(on: connection, daysAhead: 0)
        #expect(facts.tables.sealedDays == 3)
        let findings = Examination.findings(Facts(database: .reached(facts), isPrivate: false))
        let finding = try #require(findings.first { $0.name == "sealed days" })
        #expect(finding.severity == .problem)
        // A foreign table that nobody has sealed is still found.
        try connection.execute(
            """
            DELETE FROM sluice.sealed_day WHERE kind = 'vital' AND state = 'sealed'
            """)
        #expect(try Self.findings(connection).contains { $0.name == "durability" })
    }

    @Test func `row security counts where it applies to the role`() throws {
        let connection = try Self.database()
        try connection.execute(
            """
            CREATE ROLE row_owner; GRANT USAGE ON SCHEMA sluice, sluice_partitions TO row_owner;
            GRANT SELECT ON ALL TABLES IN SCHEMA sluice, sluice_partitions TO row_owner;
            ALTER TABLE sluice.gps ENABLE ROW LEVEL SECURITY
            """)
        defer {
            connection.close()
            let owner = try? TestCluster.shared.freshConnection(named: "cleanup", migrated: false)
            _ = try? owner?.execute("DROP ROLE row_owner")
        }
        #expect(try Self.findings(connection) == [])
        try connection.execute("SET ROLE row_owner")
        let findings = try Self.findings(connection)
        #expect(findings.map(\.name) == ["row security"], "\(findings)")
        try connection.execute("RESET ROLE; DROP OWNED BY row_owner")
    }

    @Test func `what doctor advises raises the watermarks, and repeats find their rows`() throws {
        let connection = try Self.database()
        try connection.execute(
            """
            CREATE TABLE public.before AS SELECT device_key, gps_until, vital_until, event_until
                FROM sluice.device_state;
            UPDATE sluice.device_state SET gps_until = '-infinity' WHERE device_key < 5;
            UPDATE sluice.device_state SET event_until = event_until - interval '1 s'
                WHERE device_key = 6;
            DELETE FROM sluice.device_state WHERE device_key = 7
            """)
        #expect(try connection.query("SELECT sluice.raise_watermarks()").int64(0, 0) == 6)
        let differences = try connection.query(
            """
            SELECT * FROM public.before EXCEPT SELECT device_key, gps_until, vital_until,
            event_until FROM sluice.device_state
            """)
        #expect(differences.count == 0)
        #expect(try connection.query("SELECT sluice.raise_watermarks()").int64(0, 0) == 0)
    }

    /// The key's check is what the server computes, also for a device that was registered before
    /// keys named the user, and the users of a device id know of each other.
    @Test func `a device that had lost its state is known to the server again`() throws {
        let connection = try Self.database()
        let (old, ann) = (DeviceIDKey(of: "watch"), DeviceKey(of: "watch", user: "ann ü"))
        try connection.execute(
            """
            INSERT INTO sluice.device (device_key, device_id, user_id)
            VALUES (\(old.value), 'watch', 'bob'), (\(ann.value), 'watch', 'ann ü')
            """)
        for _ in 1...2 {
            try connection.execute("SELECT sluice.raise_watermarks()")
            for (key, check) in [(old.value, old.check), (ann.value, ann.check)] {
                let rows = try connection.query(
                    """
                    SELECT s.key_check, s.family, k.keys FROM sluice.device_state s, sluice.device_keys k
                    WHERE s.device_key = \(key) AND (k.device_key, k.device_id) = (\(old.value), 'watch')
                    """)
                #expect(rows.int64(0, 0) == check)
                #expect(rows.int64s(0, 1) == [old.value, ann.value].sorted())
                #expect(rows.int64s(0, 2) == [old.value, ann.value].sorted())
            }
        }
    }

    /// A table that somebody holds exclusively, as in a long maintenance.
    @Test func `a locked table delays the examination only briefly, and is named`() throws {
        let connection = try Self.database()
        let holder = try connection.openAnother(deadline: .now + .seconds(100))
        try holder.execute("BEGIN; LOCK TABLE sluice.device_state IN ACCESS EXCLUSIVE MODE")
        connection.deadline = .now + .seconds(100)
        let start = ContinuousClock.now
        let facts = try DatabaseFacts.gather(on: connection, daysAhead: 0)
        #expect(ContinuousClock.now - start < .seconds(40))
        #expect(facts.alterations?.unanswered == ["watermarks"])
        holder.close()
    }
}
