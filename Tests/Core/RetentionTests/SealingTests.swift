import Foundation
import Postgres
import Readings
import TestSupport
import Testing

@testable import Retention

@Suite(.timeLimit(.minutes(10)), .serialized)
struct SealingTests {
    /// Odd values of all kinds on one day, and denser ones, which are packed in other forms.
    static func store(_ rig: Rig, _ day: Day, seed: UInt64 = 7) throws {
        var rows = RandomRows(seed: seed)
        try rows.store(60, on: day, rig.connection)
        let start = "'\(day.text) 00:00:00+00'::timestamptz"
        try rig.connection.execute(
            """
            INSERT INTO sluice.vital SELECT 1, \(start) + i * interval '1 second', 1, 60 + i % 41
                FROM generate_series(0, 8000) i;
            INSERT INTO sluice.vital SELECT 2, \(start) + i * interval '20 ms', 1, i / 10.0
                FROM generate_series(0, 5000) i;
            INSERT INTO sluice.vital SELECT 3, \(start) + i * interval '1 hour', 21, i * 1e9
                FROM generate_series(0, 23) i;
            INSERT INTO sluice.vital SELECT 4, \(start) + i * interval '30.000001 s', 2, random()
                FROM generate_series(0, 2800) i;
            INSERT INTO sluice.vital VALUES (5, \(start), 1, 1), (5, \(start), 1, 1),
                (5, \(start), 1, 2), (5, \(start), 2, -0.0::float8), (5, \(start), 2, 0),
                (5, \(start), 3, 'NaN'), (5, \(start), 3, '-Infinity');
            INSERT INTO sluice.gps SELECT 1, \(start) + i * interval '1 second',
                round((48 + random() / 50)::numeric, 6), round((-11 - random())::numeric, 7),
                CASE WHEN i % 3 > 0 THEN round((random() * 30)::numeric, 1) END
                FROM generate_series(0, 4000) i;
            INSERT INTO sluice.gps SELECT 2, \(start) + i * interval '1 second', 48, -11, 5,
                CASE WHEN i % 2 > 0 THEN round((random() * 900 - 100)::numeric, 1) END,
                CASE WHEN i % 3 > 0 THEN i % 7 END,
                CASE WHEN i % 5 > 0 THEN (i % 40 * 1000000::bigint << 30) | 1073741823 END
                FROM generate_series(0, 4000) i;
            INSERT INTO sluice.gps SELECT 3, \(start) + i * interval '1 second', 48, -11, i % 200, 1, 1,
                CASE WHEN i < 4000 THEN (round((random() * 3)::numeric, 2) * 1000000)::bigint << 30
                        | (round((random() * 359)::numeric, 1) * 1000000)::bigint
                    WHEN i % 4 = 0 THEN -5 WHEN i % 4 = 1 THEN 9223372036854775807
                    WHEN i % 4 = 2 THEN i END
                FROM generate_series(0, 4200) i;
            INSERT INTO sluice.event SELECT i % 5, \(start) + i * interval '1 minute', 'label',
                CASE i % 3 WHEN 0 THEN NULL WHEN 1 THEN '' ELSE repeat('x', 8192) END,
                CASE WHEN i % 2 = 0 THEN jsonb_build_object('k', repeat('y', 16000), 'n', 1.10) END
                FROM generate_series(1, 300) i;
            """)
    }

    static func sealing(
        _ rig: Rig, on connection: Connection? = nil,
        step: @escaping (SealingStep, DayPartition) throws -> Void = { _, _ in },
        _ work: (Sealing) throws -> Void
    ) throws {
        guard let session = try ArchiveSession(connection ?? rig.connection, patience: .seconds(10))
        else { throw ArchiveError.busy }
        defer { session.end() }
        if let obstacle = try Sealing.obstacle(on: session.connection) {
            Issue.record("\(obstacle)")
        }
        try work(Sealing(session, step: step))
    }

    private static func forms(_ rig: Rig) throws -> [DayForm.Form] {
        try DayForm.all(on: rig.connection).map(\.form)
    }

    static let kinds = ReadingKind.allCases.map { DayTable($0) }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `a day is sealed and unsealed bit by bit`(seed: UInt64) throws {
        let rig = try Rig()
        defer { rig.discard() }
        let day = rig.day(ago: 5)
        try Self.store(rig, day, seed: seed)
        try rig.store(rig.day(ago: 4))
        let before = try rig.bits()
        try Self.sealing(rig) { sealing in
            for kind in Self.kinds { try sealing.seal(DayPartition(kind, day)) }
        }
        #expect(try Self.forms(rig) == [.sealed, .sealed, .sealed, .live, .live, .live])
        #expect(try rig.bits() == before)
        for view in ["gps", "vital", "event"] {
            #expect(try rig.count("analytics.\(view)") == 0, "no device is registered")
        }
        try Self.sealing(rig) { sealing in
            for kind in Self.kinds { try sealing.unseal(DayPartition(kind, day)) }
        }
        #expect(try Self.forms(rig) == [.live, .live, .live, .live, .live, .live])
        #expect(try rig.bits() == before)
        // Without sealed days the views are plain joins again.
        #expect(
            try rig.count(
                "pg_views WHERE viewname IN ('device_gps', 'device_vital', 'device_event') "
                    + "AND definition NOT LIKE '%UNION%'") == 3)
        #expect(
            try rig.count(
                "pg_views WHERE viewname = 'reading' AND definition LIKE '%device_gps%'") == 0)
        #expect(
            try rig.count(
                "pg_class WHERE relnamespace = 'sluice_sealed'::regnamespace "
                    + "AND relname ~ '_[0-9]{8}$'") == 0)
        #expect(try rig.count("sluice_sealed.changed") == 0)
    }

    @Test(arguments: [SealingStep.begin, .copy, .copyChanged, .exchange])
    func `a crash at any step leaves each reading once, and the next call goes on`(
        crash: SealingStep
    ) throws {
        let rig = try Rig()
        defer { rig.discard() }
        let day = rig.day(ago: 5)
        try Self.store(rig, day)
        let before = try rig.bits()
        for kind in Self.kinds {
            let partition = DayPartition(kind, day)
            for work in [{ try $0.seal(partition) }, { try $0.unseal(partition) }]
                as [(Sealing) throws -> Void]
            {
                // The session ends in the middle of the step, too.
                for isInside in [false, true] {
                    let other = try rig.open()
                    let settings = rig.settings
                    do {
                        try Self.sealing(
                            rig, on: other,
                            step: { step, _ in
                                guard step == crash else { return }
                                guard isInside else { throw Crash() }
                                let id = other.backendID
                                DispatchQueue.global().asyncAfter(deadline: .now() + 0.004) {
                                    let killer = try? Connection.open(
                                        settings, deadline: .now + .seconds(60))
                                    _ = try? killer?.query("SELECT pg_terminate_backend(\(id))")
                                    killer?.close()
                                }
                            }, work)
                    } catch is Crash {
                    } catch is PostgresError {
                    }
                    other.close()
                    #expect(try rig.bits() == before, "\(partition.name)")
                }
                // It may have ended before it was terminated.
                do {
                    try Self.sealing(rig, work)
                } catch let error as PostgresError {
                    #expect(error.sqlState == "55000")
                }
                #expect(try rig.bits() == before, "\(partition.name)")
            }
        }
        #expect(try Self.forms(rig) == [.live, .live, .live])
    }

    @Test func `what changes while a day is sealed or unsealed is not lost`() throws {
        let rig = try Rig()
        defer { rig.discard() }
        let day = rig.day(ago: 5)
        try Self.store(rig, day)
        let other = try rig.open()
        let partition = DayPartition(.vital, day)
        var number = 0
        var expected = try rig.count("sluice.vital")
        func change(_ step: SealingStep) throws {
            guard step != .begin else { return }
            number += 1
            try other.execute(
                """
                INSERT INTO sluice.vital
                    VALUES (3, '\(day.text) 01:00:00+00', 1, \(number)), (99, '\(day.text) 01:00:00+00', 1, 0);
                DELETE FROM sluice.vital WHERE device_key = 3 AND code = 1 AND val = \(number - 1)
                """)
            expected += number == 1 ? 2 : 1
        }
        try Self.sealing(rig, step: { step, _ in try change(step) }) { try $0.seal(partition) }
        #expect(try rig.count("sluice.vital") == expected)
        #expect(try rig.count("sluice.vital WHERE device_key = 3 AND code = 1") == 1)
        // Late readings are added to the packed form, as lanes do.
        func addLate(_ step: SealingStep) throws {
            guard step != .begin else { return }
            number += 1
            try Self.storeLate([(3, "\(day.text) 02:00:00+00", 1, Double(number))], day, other)
            expected += 1
        }
        try Self.sealing(rig, step: { step, _ in try addLate(step) }) { try $0.unseal(partition) }
        #expect(try rig.count("sluice.vital") == expected)
        #expect(try rig.count("sluice_sealed.changed") == 0)
    }

    /// As a lane does.
    private static func storeLate(
        _ rows: [(key: Int64, t: String, code: Int, val: Double)], _ day: Day,
        _ connection: Connection
    ) throws {
        let text = try connection.query(
            """
            SELECT sluice.storing_late('vital', '\(day.text)', '{device_key,t,code,val}')
            """
        ).string(0, 0)
        func array(_ values: [String], _ type: String) -> String {
            "'{\(values.joined(separator: ","))}'::\(type)[]"
        }
        let columns = [
            array(rows.map { "\($0.key)" }, "bigint"), array(rows.map(\.t), "timestamptz"),
            array(rows.map { "\($0.code)" }, "smallint"), array(rows.map { "\($0.val)" }, "float8"),
        ]
        try connection.execute(
            columns.enumerated().reversed().reduce(text) {
                $0.replacing("$\($1.offset + 1)", with: $1.element)
            })
    }

    @Test func `late readings of a sealed day are seen at once, and packed later`() throws {
        let rig = try Rig()
        defer { rig.discard() }
        let day = rig.day(ago: 5)
        try Self.store(rig, day)
        try rig.connection.execute(
            """
            INSERT INTO sluice.device (device_key, device_id, user_id) VALUES (3, 'd', 'u');
            INSERT INTO sluice.device_state (device_key, key_check) VALUES (3, 3)
            """)
        let partition = DayPartition(.vital, day)
        try Self.sealing(rig) { try $0.seal(partition) }
        let rows = (0..<300).map {
            (
                key: Int64($0 % 2 == 0 ? 3 : 77), t: "\(day.text) 03:00:0\($0 % 10)+00", code: 21,
                val: Double($0)
            )
        }
        try Self.storeLate(rows, day, rig.connection)
        let packed = "sluice_sealed.packed_\(partition.name) WHERE device_key IN (3, 77)"
        let before = try rig.bits()
        #expect(try rig.count("analytics.vital WHERE device_id = 'd'") == 24 + 150)
        #expect(try rig.count(packed) == 301)
        // While a lane stores readings of the device, it is left for another time.
        let lane = try rig.open()
        try lane.execute("BEGIN; SELECT FROM sluice.device_state WHERE device_key = 3 FOR UPDATE")
        try Self.sealing(rig) { sealing in
            let merged = try sealing.merge().devices
            #expect(merged == 1)
        }
        try lane.rollback()
        try Self.sealing(rig) { sealing in
            let merged = try sealing.merge().devices
            #expect(merged == 1)
        }
        #expect(try rig.count(packed) == 2)
        #expect(try rig.count("sluice_sealed.changed") == 0)
        #expect(try rig.bits() == before)
    }

    @Test func `the partition of a sealed day takes no rows, and nothing is sealed twice`() throws {
        let rig = try Rig()
        defer { rig.discard() }
        let day = rig.day(ago: 5)
        try rig.store(day)
        let partition = DayPartition(.vital, day)
        try Self.sealing(rig) { sealing in
            try sealing.seal(partition)
            let again = #expect(throws: PostgresError.self) { try sealing.seal(partition) }
            #expect(again?.sqlState == "55000")
        }
        let refusal = #expect(throws: PostgresError.self) {
            try rig.connection.execute(
                "INSERT INTO sluice.vital VALUES (1, '\(day.text) 05:00:00+00', 1, 1)")
        }
        #expect(refusal?.sqlState == "55000")
        #expect(try rig.count("sluice.vital") == 1)
        #expect(
            try rig.connection.query("SELECT sluice.ensure_days('\(day.text)', '\(day.text)')")
                .int32(0, 0) == 0)
    }

    @Test func `a difference between the forms is refused, and the day stays live`() throws {
        let rig = try Rig()
        defer { rig.discard() }
        let day = rig.day(ago: 5)
        try Self.store(rig, day)
        let before = try rig.bits()
        try rig.connection.execute(
            """
            CREATE OR REPLACE FUNCTION sluice.pack_times(
                us bigint[], low bigint, span bigint, unit integer, OUT small smallint[],
                OUT high smallint[], OUT exact bigint[]
            ) LANGUAGE sql AS $$
                SELECT null::smallint[], null::smallint[],
                    array(SELECT (x - low) / unit + CASE WHEN x = low THEN 1 ELSE 0 END
                        FROM unnest(us) x)
            $$
            """)
        let error = #expect(throws: PostgresError.self) {
            try Self.sealing(rig) { try $0.seal(DayPartition(.vital, day)) }
        }
        #expect(error?.sqlState == "XX001")
        #expect(try Self.forms(rig).first { $0 != .live } == .sealing)
        #expect(try rig.bits() == before)
    }

    /// Of a shorter array, views would show nulls, and the day could not be unsealed.
    @Test(arguments: [
        ("vital", "t_2 = t_2[:5]"), ("vital", "t_2 = null"), ("vital", "n4_1 = n4_1[2:]"),
        ("vital", "n4_1 = null"), ("vital", "readings = readings + 1"),
        ("gps", "n3_h = n3_h || 1::smallint"), ("event", "val_text = val_text[:1]"),
        ("event", "label = null"),
    ])
    func `a packed row can't be damaged by hand`(kind: String, change: String) throws {
        let rig = try Rig()
        defer { rig.discard() }
        let day = rig.day(ago: 5)
        try Self.store(rig, day)
        let before = try rig.bits()
        let partition = try #require(DayTable(rawValue: kind).map { DayPartition($0, day) })
        try Self.sealing(rig) { try $0.seal(partition) }
        let table = "sluice_sealed.packed_\(partition.name)"
        for code in ["23001", "23514"] as [SQLState] {
            let error = #expect(throws: PostgresError.self) {
                try rig.connection.execute(
                    "UPDATE \(table) SET \(change) WHERE device_key = 1 AND readings > 50")
            }
            #expect(error?.sqlState == code)
            #expect(error?.message.contains("packed_\(partition.name)") == true)
            try rig.connection.execute("ALTER TABLE \(table) DISABLE TRIGGER refuse_change")
        }
        #expect(try rig.bits() == before)
    }

    /// Changes a packed row as a disk may do: by a statement, the checksum would be made anew.
    private static func damage(
        _ rig: Rig, _ partition: DayPartition, _ change: String
    ) throws {
        let table = "sluice_sealed.packed_\(partition.name)"
        func setGenerated(_ value: String) throws {
            try rig.connection.execute(
                """
                UPDATE pg_attribute SET attgenerated = '\(value)'
                WHERE attrelid = '\(table)'::regclass AND attname = 'checksum'
                """)
        }
        try setGenerated("")
        try rig.connection.execute(
            """
            ALTER TABLE \(table) DISABLE TRIGGER refuse_change;
            UPDATE \(table) SET \(change) WHERE device_key = 1;
            ALTER TABLE \(table) ENABLE TRIGGER refuse_change
            """)
        try setGenerated("s")
    }

    @Test(arguments: [
        ("vital", "n4_base = n4_base + 1", "n4_base = n4_base - 1"),
        ("vital", "t0 = t0 + interval '1 s'", "t0 = t0 - interval '1 s'"),
        ("gps", "n3_per = n3_per * 10", "n3_per = n3_per / 10"),
        ("event", "label[2] = 'x'", "label[2] = 'label'"),
    ])
    func `a packed row that a disk has changed is found, and is neither merged nor unsealed`(
        kind: String, change: String, repair: String
    ) throws {
        let rig = try Rig()
        defer { rig.discard() }
        let day = rig.day(ago: 31)
        try Self.store(rig, day)
        let before = try rig.bits()
        let partition = try #require(DayTable(rawValue: kind).map { DayPartition($0, day) })
        try Self.sealing(rig) { try $0.seal(partition) }
        func damage() throws -> String? {
            let form = try DayForm.all(on: rig.connection).first { $0.partition == partition }
            return try #require(form).damage(on: rig.connection)
        }
        #expect(try damage() == nil)
        try Self.damage(rig, partition, change)
        #expect(try damage()?.hasPrefix("device_key 1 from \(day.text)") == true)
        try rig.connection.execute(
            "INSERT INTO sluice_sealed.changed VALUES ('\(kind)', '\(day.text)', 1)")
        try Self.sealing(rig) { sealing in
            let merged = try sealing.merge()
            #expect(merged.devices == 0 && merged.isComplete)
            let error = #expect(throws: PostgresError.self) { try sealing.unseal(partition) }
            #expect(error?.sqlState == "XX001")
            #expect(error?.message.contains("device_key 1 from \(day.text)") == true)
        }
        // Nor does it leave.
        let report = try rig.run()
        #expect(report.failures.map(\.partition) == [partition])
        try Self.damage(rig, partition, repair)
        #expect(try damage() == nil)
        try Self.sealing(rig) { try $0.unseal(partition) }
        try rig.restore()
        #expect(try rig.bits() == before)
    }

    @Test func `a day that was unsealed or restored counts each reading once`() throws {
        let rig = try Rig()
        defer { rig.discard() }
        let day = rig.day(ago: 31)
        try Self.store(rig, day)
        let partition = DayPartition(.vital, day)
        let count = try rig.count("sluice.vital")
        func listed() throws -> Int? {
            try rig.connection.execute("SELECT pg_stat_force_next_flush()")
            return try DayForm.all(on: rig.connection).first { $0.partition == partition }?.readings
        }
        try Self.sealing(rig) { sealing in
            try sealing.seal(partition)
            try sealing.unseal(partition)
        }
        #expect(try listed() == count)
        #expect(try rig.run().failures.isEmpty)
        try rig.restore()
        #expect(try listed() == count)
    }

    @Test func `a sealed day leaves as a file, and returns`() throws {
        let rig = try Rig()
        defer { rig.discard() }
        try rig.store(rig.day(ago: 31))
        let before = try rig.bits()
        try Self.sealing(rig) { sealing in
            for kind in Self.kinds { try sealing.seal(DayPartition(kind, rig.day(ago: 31))) }
        }
        let report = try rig.run()
        #expect(report.failures.isEmpty)
        #expect(report.rows == 3)
        #expect(try rig.count("sluice.gps") == 0)
        #expect(try Self.forms(rig) == [.archived, .archived, .archived])
        _ = try rig.restore()
        #expect(try rig.bits() == before)
    }

    @Test func `sums of a sealed day are made of its readings, early and late`() throws {
        let rig = try Rig()
        defer { rig.discard() }
        let day = rig.day(ago: 5)
        try rig.connection.execute(
            """
            SELECT sluice.ensure_days('\(day.text)', '\(day.text)');
            INSERT INTO sluice.device (device_key, device_id, user_id) VALUES (3, 'd', 'u');
            INSERT INTO sluice.device_state (device_key, key_check) VALUES (3, 3);
            INSERT INTO sluice.vital SELECT 3, '\(day.text) 01:00:00+00'::timestamptz + i * interval '1 minute',
                1, i FROM generate_series(0, 119) i;
            INSERT INTO sluice.gps SELECT 3, '\(day.text) 01:00:00+00'::timestamptz + i * interval '1 minute',
                48 + i / 1e4, 11, NULL FROM generate_series(0, 119) i
            """)
        func sums() throws -> [String] {
            try rig.connection.query("SELECT sluice.rebuild_rollups('\(day.text)')")
            while try rig.count("sluice.rollup_due") > 0 {
                try rig.connection.query("SELECT sluice.sum_hours()")
            }
            let rows = try rig.connection.query(
                """
                SELECT concat_ws(' ', 'vital', r.*) FROM sluice.vital_rollup r
                UNION ALL SELECT concat_ws(' ', 'gps', r.*) FROM sluice.gps_rollup r ORDER BY 1
                """)
            return (0..<rows.count).map { rows.string($0, 0) }
        }
        let before = try sums()
        #expect(before.count == 4)
        try Self.sealing(rig) { sealing in
            for kind in Self.kinds { try sealing.seal(DayPartition(kind, day)) }
        }
        #expect(try sums() == before)
        try Self.storeLate([(3, "\(day.text) 01:30:00+00", 1, 1000)], day, rig.connection)
        #expect(try sums() != before)
        #expect(try rig.count("analytics.vital_hour WHERE high = 1000 AND readings = 61") == 1)
    }

    @Test func `a loop that leads elsewhere is corrected`() throws {
        let rig = try Rig()
        defer { rig.discard() }
        #expect(try Sealing.obstacle(on: rig.connection) == nil)
        try rig.connection.execute("ALTER SERVER sluice_loop OPTIONS (SET dbname 'postgres')")
        let wrong = #expect(throws: PostgresError.self) {
            try rig.connection.query("SELECT sluice.has_loop()")
        }
        #expect(wrong?.sqlState == "42P01")
        #expect(try Sealing.obstacle(on: rig.connection) == nil)
        #expect(try rig.connection.query("SELECT sluice.has_loop()").bool(0, 0))
    }

    @Test func `a loop's role that was changed is corrected`() throws {
        let rig = try Rig()
        defer { rig.discard() }
        #expect(try Sealing.obstacle(on: rig.connection) == nil)
        // Roles belong to the whole cluster, in which other tests run.
        try rig.connection.transaction {
            try rig.connection.execute(
                """
                ALTER ROLE sluice_loop NOLOGIN;
                ALTER ROLE sluice_loop SET statement_timeout = '1ms';
                SELECT sluice.make_loop()
                """)
            let role = try rig.connection.query(
                """
                SELECT r.rolcanlogin, array_to_string(r.rolconfig, ' ') FROM pg_roles r
                WHERE r.rolname = 'sluice_loop'
                """)
            #expect(role.bool(0, 0))
            #expect(
                role.string(0, 1) == "default_transaction_read_only=on idle_session_timeout=1min")
        }
    }

    /// It has the loop's snapshot from its first sealed day on.
    @Test func `no transaction misses a day that is sealed beside it`() throws {
        let rig = try Rig()
        defer { rig.discard() }
        let day = rig.day(ago: 5)
        try Self.store(rig, day)
        let count = try rig.count("sluice.vital")
        try Self.sealing(rig) { try $0.seal(DayPartition(.gps, day)) }
        let reader = try rig.open()
        defer { reader.close() }
        try reader.execute("BEGIN")
        #expect(try reader.query("SELECT count(*) FROM sluice.gps").int64(0, 0) > 0)
        let refused = #expect(throws: PostgresError.self) {
            try Self.sealing(rig) { try $0.seal(DayPartition(.vital, day)) }
        }
        #expect(refused?.sqlState == "55P03")
        #expect(try reader.query("SELECT count(*) FROM sluice.vital").int64(0, 0) == count)
        try reader.execute("COMMIT")
        try Self.sealing(rig) { try $0.seal(DayPartition(.vital, day)) }
        #expect(try reader.query("SELECT count(*) FROM sluice.vital").int64(0, 0) == count)
    }

    /// As one whose turn was taken from it, in the middle of a step or between two.
    @Test(arguments: [false, true])
    func `a process that another one has overtaken copies nothing twice`(isInside: Bool) throws {
        let rig = try Rig()
        defer { rig.discard() }
        let day = rig.day(ago: 5)
        try Self.store(rig, day)
        let before = try rig.bits()
        let partition = DayPartition(.vital, day)
        let other = try rig.open()
        defer { other.close() }
        for (function, work) in [
            ("seal_devices", { try $0.seal(partition) }),
            ("unseal_devices", { try $0.unseal(partition) }),
        ] as [(String, (Sealing) throws -> Void)] {
            let step = "SELECT sluice.\(function)('vital', '\(day.text)', -9223372036854775808, 1)"
            let failure = #expect(throws: PostgresError.self) {
                try Self.sealing(
                    rig,
                    step: { reached, _ in
                        guard reached == .copy else { return }
                        try other.execute("BEGIN ISOLATION LEVEL REPEATABLE READ; \(step)")
                        guard isInside else {
                            try other.execute("COMMIT")
                            return
                        }
                        nonisolated(unsafe) let other = other
                        DispatchQueue.global().asyncAfter(deadline: .now() + 0.3) {
                            _ = try? other.execute("COMMIT")
                        }
                    }, work)
            }
            #expect(failure?.sqlState == (isInside ? "40001" : "55000"))
            try Self.sealing(rig, work)
            #expect(try rig.bits() == before)
        }
    }

    @Test func `days of several days are sealed as one`() throws {
        let rig = try Rig()
        defer { rig.discard() }
        try rig.connection.query("SELECT sluice.choose_partition_days(7)")
        let first = Day(
            number: try rig.connection.query(
                "SELECT sluice.first_day('\(rig.day(ago: 20).text)')"
            ).int32(0, 0))
        for ago in 0..<7 { try Self.store(rig, Day(number: first.number + Int32(ago))) }
        let before = try rig.bits()
        try Self.sealing(rig) { sealing in
            for kind in Self.kinds { try sealing.seal(DayPartition(kind, first)) }
        }
        #expect(try rig.bits() == before)
        #expect(try Self.forms(rig) == [.sealed, .sealed, .sealed])
    }
}
