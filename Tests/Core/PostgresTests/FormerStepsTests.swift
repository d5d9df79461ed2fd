import Postgres
import Schema
import TestSupport
import Testing

/// Databases of development versions, with the numbered steps that the baseline replaced.
@Suite(.timeLimit(.minutes(10)))
struct FormerStepsTests {
    /// Name and checksum of each step.
    private static let steps = """
        tables 9718bd2620704752d2d78f8364df149c02326ed12772874d2e5f2196edc0b401
        partitions 17e85be7ee022623816702cd405e13c189763e419851d28276608b6d812ccae9
        quarantine_and_keys 206783a6af73176142a9590373f1a753e52c5c91904a164f5aaa7e35af5fca62
        analytics 587dbf4b55cf490c44780045eefbb3ca9a3e50790d666244f6c3be9c4682c8f9
        spool 82d77a919533224f1ae125a3fa3baf00080cc15bccd95f0ea0a2c1f7501aebf6
        key_quotas 9260c5a54e9df7f623adf9624855ad4b0b8cd20c2742b4bf5c07a86ce9e86e4d
        captures 87f2150619c0e92b6a8a06739fe3a52ae570a9b88c746e6f13cbdf872c0e64c6
        units 89d740c4f64e5c44cbbb57f76211f0cd4ee56ee6f9c728d400bd470eb2ecf8c3
        foods 19208d2ca3c58e0283b6af0b565f8f8828f76e70bcf32522aa3ce94fa7dda4da
        meals 81d7c5bf15da021e2895de9e65eca92db062b80136fc436b5f5b51b812473357
        rollups 8be7f97b22e629f65f3a06855e11f2197d4e9e1df202952aaea421773c246a0e
        journal 7d8d0bd8e208f8f38b73834687e64e1fdb825dd6beb092afde0c13708311a75f
        analysts 8badd7684692c13ee2ce23fafd7e1e8dff2f8db032d65697ecd7fe4587416a2a
        retention 08dcbe0f91d845c570dbc1d5adba76839ae6f7066d3fe7dbb05f618258e593ad
        erasure 2a4c2dfaa639fc1dccc5d4ab0a4e229c59106fe6a532abc79a3bfd4578b0859b
        rollup_rows 986d10a8c85aceb952d8ade62291458efcde0a0ee5d81f88c317c3ea6f52b24b
        turns 9a31eab61dd6ffe73d4bf0c25eef0419cdc0b1248d7a8560b2f743fa2dbd385c
        capture_order 1c105d1576105ba9b17ea3e33133b97f68e95c299321d264579a34719696328f
        news 875ee2a78f47460a3b31bd6c5862f0369d66a3e3eeeb4d37bc38f9466eb313d2
        more_foods 9b655efb3aa5d956011062662e6d1557405673e00b8e21da2ebe03965453c008
        capture_ids 25acf575f0aa7261b53cb0b7370b0bc171cf5cd192dfb6bad150bedb2945cc3a
        tracks 2f98390ae82b986db2ae8401676a78b75ca0ec4ce5fac05a04deae3f3fb564b2
        plans 2254f0959cb8a530b2fb173253514ace3d710a126aa7790214fdfa0ad05b1652
        hours a791a921b074d74cd4982a9dd74eff4d7fea9df8086a83fb4c9ef4fc8c4b9677
        era 622b2740ad9e11129339f2750c82cdffc2dc4303347620f1ad3f15120d338a36
        citus ac30a12e6a290d0ca5b032067972cfe92976014e0c5bf584ec2dbf2352dc1496
        missing_days 11c9069c4d1c49ea30155e80cdf03da12b89a02ebb901ff36b50abf10ebac87f
        journal_units 2247decef1846b39e283f92eaed19136818697e00c78ae830085d5818557fa73
        partition_days 28eea6ccf6cb4ed245ade3144e3336cafb3d884283ad485a50f9e6fb952052aa
        noted_hours 0d104b690c41952304306251a97425225e7bdbedfe6e6bd35337693f77e0f461
        turns_of_tables 24713b5b06f1d8498cd89197102d7143d45ba6905679149027af0fbfb8c41cf4
        watermarks 7d27a1098add4ee4eb4d43e13b30208a88371ad3f8290e5ebc72e59ea62aea13
        extreme_values 5047bcdb7be3b54fcb75e5086ec52cfc44937ec300882d2dadb7354fd733bc06
        replica_identity d22b08131fc698933763d176ed021fc7bac0916591bf43ec3be9e1024a883e0b
        misread_foods 6981008f1f969af06fd38b8d17c56ce38efeaf76ce9fd5d02eb7d69d27a9f984
        failing_items 7272f86dddb8b3795537655af08abd41f307a82fe5405a6c9e8e39b5e76f5eed
        """.split(separator: "\n").map { $0.split(separator: " ") }

    /// What the baseline has otherwise.
    private static let differences = """
        ALTER TABLE sluice.epoch_mark RENAME CONSTRAINT epoch_mark_is_only_check
            TO era_mark_is_only_check;
        ALTER INDEX sluice.epoch_mark_pkey RENAME TO era_mark_pkey;
        ALTER TABLE sluice.epoch_mark RENAME TO era_mark;
        ALTER INDEX sluice.node_heartbeat_pkey RENAME TO node_beat_pkey;
        ALTER TABLE sluice.node_heartbeat RENAME TO node_beat;
        ALTER TABLE sluice.node_beat RENAME COLUMN heartbeat TO beat;
        CREATE FUNCTION sluice.devices_of_day(
            of_table regclass, time_column name, day date, after_key bigint, count_max integer
        ) RETURNS bigint[] LANGUAGE sql AS 'SELECT NULL::bigint[]';
        CREATE FUNCTION sluice.set_profile_picture(owner text, file text) RETURNS void
        LANGUAGE sql AS '';
        COMMENT ON FUNCTION sluice.fold_minutes IS 'before step 24';
        ALTER TABLE sluice.undelivered DROP COLUMN only_for;
        DROP VIEW analytics.gps, analytics.latest_position;
        ALTER TABLE sluice.gps DROP COLUMN alt, DROP COLUMN vacc, DROP COLUMN motion;
        CREATE VIEW analytics.gps AS
        SELECT d.device_id, d.user_id, g.t AS time, g.lat AS latitude, g.lon AS longitude,
            g.acc AS accuracy_m
        FROM sluice.gps g JOIN sluice.device d USING (device_key);
        CREATE VIEW analytics.latest_position AS
        SELECT device_id, user_id, time, latitude, longitude, accuracy_m FROM analytics.gps;
        DROP INDEX sluice.unit_set_aside_received_at;
        DROP FUNCTION sluice.tell_user(text, text, uuid, text, text);
        CREATE FUNCTION sluice.tell_user(topic text, user_id text, subject uuid, frame text)
        RETURNS void LANGUAGE sql AS '';
        CREATE OR REPLACE FUNCTION sluice.drop_meal_message(log uuid, frame text) RETURNS boolean
        LANGUAGE sql AS 'SELECT false';
        CREATE OR REPLACE FUNCTION sluice.choose_partition_days(days integer) RETURNS integer
        LANGUAGE plpgsql SET search_path = pg_catalog AS $$
        BEGIN
            UPDATE sluice.migration SET oldest_binary = 29 WHERE number = 29;
            RETURN 1;
        END
        $$
        """

    /// A database with the first of the steps, as far as it matters here, and some rows.
    private static func database(_ steps: some Sequence<[Substring]>) throws -> ConnectionSettings {
        let settings = try TestCluster.shared.freshDatabase(named: "former", migrated: false)
        let connection = try Connection.open(settings, deadline: .now + .seconds(30))
        let baseline = Schema.migrations.prefix(Schema.Former.baselineCount)
        _ = try Migrator(migrations: Array(baseline)).run(on: connection)
        try connection.execute(
            """
            \(differences);
            INSERT INTO sluice.device (device_key, device_id, user_id) VALUES (7, 'd', 'u');
            UPDATE sluice.food SET energy_kcal = 1 WHERE name = 'egg';
            DELETE FROM sluice.migration
            """)
        for (index, step) in steps.enumerated() {
            try connection.execute(
                """
                INSERT INTO sluice.migration (number, name, checksum, oldest_binary)
                VALUES (\(index + 1), '\(step[0])', '\(step[1])', 24)
                """)
        }
        connection.close()
        return settings
    }

    /// The notes, the functions with their comments, and the columns of tables and indexes.
    private static func facts(_ connection: Connection) throws -> [String] {
        let rows = try connection.query(
            """
            SELECT concat_ws(' ', number, name, checksum, oldest_binary) FROM sluice.migration
            UNION ALL
            SELECT pg_get_functiondef(oid) || coalesce(obj_description(oid, 'pg_proc'), '')
            FROM pg_proc WHERE pronamespace = 'sluice'::regnamespace AND prolang <> 13
            UNION ALL
            SELECT concat_ws(
                ' ', c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
                col_description(c.oid, a.attnum))
            FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
            WHERE c.relnamespace = 'sluice'::regnamespace AND a.attnum > 0 AND NOT a.attisdropped
            ORDER BY 1
            """)
        return (0..<rows.count).map { rows.string($0, 0) }
    }

    @Test func `a database with all former steps is at the baseline and keeps its rows`() throws {
        let settings = try Self.database(Self.steps)
        let connection = try Connection.open(settings, deadline: .now + .seconds(30))
        var older = settings
        older.applicationName = "sluice lane 0"
        let lane = try Connection.open(older, deadline: .now + .seconds(30))

        let report = try Migrator().run(on: connection)
        #expect(
            report.applied
                == ["baseline"]
                + Schema.migrations.dropFirst(Schema.Former.baselineCount).map(\.name))
        #expect(report.version == Schema.migrations.count)
        let fresh = try TestCluster.shared.freshConnection(named: "fresh")
        #expect(try Self.facts(connection) == Self.facts(fresh))
        try Migrator.demandCurrent(on: connection)
        let rows = try connection.query(
            """
            SELECT count(*) FROM sluice.device
            UNION ALL SELECT energy_kcal::bigint FROM sluice.food WHERE name = 'egg'
            """)
        #expect(rows.int64(0, 0) == 1 && rows.int64(1, 0) == 1)
        // The steps are others now, so the older binary is refused when it connects again.
        #expect(throws: PostgresError.self) { try lane.query("SELECT 1") }

        #expect(try Migrator().run(on: connection).applied == [])
        #expect(connection.isIdle)
    }

    @Test(arguments: [1, Schema.migrations.count, 35, 36, 37])
    func `a database with other former steps is rejected and not changed`(count: Int) throws {
        var steps = Array((Self.steps + [["later", "0"]]).prefix(count))
        if count == 36 { steps[35][1] = "0" }
        let settings = try Self.database(steps)
        let connection = try Connection.open(settings, deadline: .now + .seconds(30))
        let before = try Self.facts(connection)
        #expect(throws: MigrationError.formerSteps(database: count, needed: 36)) {
            try Migrator().run(on: connection)
        }
        #expect(connection.isIdle)
        #expect(try Self.facts(connection) == before)
        let error = #expect(throws: PostgresError.self) {
            try Migrator.demandCurrent(on: connection)
        }
        #expect(error?.message.hasPrefix("the schema is at version 0, this binary needs") == true)
    }
}
