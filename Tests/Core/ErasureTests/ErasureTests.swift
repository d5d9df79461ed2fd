import Erasure
import Postgres
import Schema
import TestSupport
import Testing

@Suite struct ErasureTests {
    private static let words =
        [Household.alice, "alice"] + [Household.aliceDevices[0], String(repeating: "a", count: 60)]

    private static func keys(on connection: Connection) throws -> [String] {
        let rows = try connection.query(
            "select device_key::text from sluice.device where user_id = '\(Household.alice)'")
        return (0..<rows.count).map { rows.string($0, 0) }
    }

    private static func small() -> ErasureLimits {
        var limits = ErasureLimits()
        limits.batchRows = 2
        limits.deviceBatch = 1
        return limits
    }

    @Test(arguments: [ErasureLimits(), small()])
    func `nothing of the user is found, and all other users' rows are unchanged, byte for byte`(
        _ limits: ErasureLimits
    ) throws {
        let connection = try TestCluster.shared.freshConnection(named: "erasure")
        try Household.settle(Household.bob, on: connection)
        let before = try Contents.all(on: connection)
        try Household.settle(Household.alice, on: connection)
        let words = try Self.words + Self.keys(on: connection)
        #expect(words.count == 6)
        let tablesWithAlice = Set(
            try Contents.columns(with: words, on: connection).map { $0.split(separator: ".")[1] })
        #expect(tablesWithAlice.count >= 35, "\(tablesWithAlice.sorted())")

        var removed: [ErasedObject] = []
        let report = try Eraser.erase(
            Household.alice, on: connection, limits: limits,
            removeFile: {
                removed.append($0); return true
            })

        #expect(try Contents.columns(with: words, on: connection) == [])
        let after = try Contents.all(on: connection)
        for (table, rows) in after { #expect(rows == before[table], "\(table)") }
        #expect(report.isComplete && report.passes == 2 && report.devices == 2)
        // Each of her files is removed once; a file that both users have stays.
        #expect(!removed.contains { $0.name == Household.sharedObject })
        #expect(Set(removed.map(\.name)).count == removed.count)
        #expect(removed.allSatisfy { $0.name.hasPrefix("aaa") })
        #expect(report.files.removed == removed.count && removed.count == 3 + 1 + 3 + 5 + 5 + 1)
        #expect(report.files.shared == 1)
        #expect(report.files.bytesRemoved == 1000 * removed.count)
    }

    /// Of a packed row, parts of a value may be anywhere in a file.
    @Test func `sealed days are erased, also from their files`() throws {
        let connection = try TestCluster.shared.freshConnection(named: "erasure")
        try Household.settle(Household.bob, on: connection)
        try Household.settle(Household.alice, on: connection)
        let mark = "marked-by-alice-"
        try connection.execute(
            """
            insert into sluice.event (device_key, t, label, val_text)
            select d.device_key, '2026-03-02 12:00Z'::timestamptz + n * interval '1 minute', 'note',
                case d.user_id when '\(Household.alice)' then '\(mark)' else 'of bob ' end || md5(n::text)
            from sluice.device d, generate_series(1, 500) n
            """)
        let before = try Self.readings(of: Household.bob, on: connection)
        let survey = try Eraser.survey(Household.alice, on: connection)
        try connection.query("delete from sluice.rollup_due")
        for day in ["2026-03-01", "2026-03-02"] { try SealedDay.seal(day, on: connection) }
        // The first steps of sealing have made a third form.
        try connection.query("select sluice.begin_sealing('event', '2026-03-03')")
        try connection.query(
            "select sluice.seal_devices('event', '2026-03-03', -9223372036854775808, 1000000)")
        #expect(try Self.readings(of: Household.bob, on: connection) == before)
        #expect(try !Self.filesWith(mark, on: connection).isEmpty)
        let sealedSurvey = try Eraser.survey(Household.alice, on: connection)
        for name in ["gps", "vital", "event"] {
            let rows = { (report: ErasureReport) in
                report.tables.first { $0.table == "sluice.\(name)" }?.rows
            }
            #expect(rows(sealedSurvey) == rows(survey))
        }
        let keys = try Self.keys(on: connection)

        let report = try Eraser.erase(
            Household.alice, on: connection, vacuums: true, removeFile: { _ in true })
        #expect(report.isComplete && report.devices == 2)
        for form in ["packed_event_20260301", "packed_event_20260302", "packed_event_20260303"] {
            let left = try connection.query(
                """
                select count(*) from sluice_sealed.\(form)
                where device_key in (\(keys.joined(separator: ", ")))
                """)
            #expect(left.int64(0, 0) == 0, "\(form)")
        }
        #expect(try Self.readings(of: Household.bob, on: connection) == before)
        try connection.execute("checkpoint")
        #expect(try Self.filesWith(mark, on: connection) == [])
    }

    /// A step of sealing or unsealing has read the rows before, and writes them after.
    @Test(arguments: [false, true])
    func `nobody comes back with a day that is being sealed or unsealed`(isUnsealing: Bool) throws {
        let connection = try TestCluster.shared.freshConnection(named: "erasure")
        try Household.settle(Household.bob, on: connection)
        try Household.settle(Household.alice, on: connection)
        let before = try Self.readings(of: Household.bob, on: connection)
        let keys = try Self.keys(on: connection).joined(separator: ", ")
        try connection.query("delete from sluice.rollup_due")
        // So that alice has rows in a sealed day, whose notes are not those of the other.
        try SealedDay.seal("2026-03-01", on: connection)
        let (day, from) = ("2026-03-02", "-9223372036854775808")
        try connection.query("select sluice.ensure_days('\(day)', '\(day)')")
        try connection.query(
            """
            insert into sluice.vital select device_key, '\(day) 12:00Z', 1, 60 from sluice.device
            where user_id = '\(Household.alice)'
            """)
        if isUnsealing {
            try SealedDay.seal(day, kinds: ["vital"], on: connection)
            try connection.query("select sluice.begin_unsealing('vital', '\(day)')")
        } else {
            try connection.query("select sluice.begin_sealing('vital', '\(day)')")
        }
        let step = try connection.openAnother(deadline: .now + .seconds(60))
        defer { step.close() }
        try step.execute(
            """
            begin isolation level repeatable read;
            select sluice.\(isUnsealing ? "unseal" : "seal")_devices('vital', '\(day)', \(from), 1000000)
            """)

        let report = try Eraser.erase(Household.alice, on: connection, removeFile: { _ in true })
        #expect(report.isComplete)
        try step.execute("commit")
        if isUnsealing {
            try connection.query("select sluice.end_unsealing('vital', '\(day)')")
        } else {
            try connection.query("select sluice.seal_changed('vital', '\(day)')")
            try connection.query("select sluice.end_sealing('vital', '\(day)')")
        }
        let left = try connection.query(
            "select count(*) from sluice.vital where device_key in (\(keys))")
        #expect(left.int64(0, 0) == 0)
        #expect(try Self.readings(of: Household.bob, on: connection) == before)
    }

    private static func readings(of user: String, on connection: Connection) throws -> [Int64] {
        let rows = try connection.query(
            """
            select count(*), (coalesce(sum(hashtextextended(r::text, 0)), 0) % 1000000007)::bigint
            from (
                select device_id, time, kind from analytics.reading where user_id = '\(user)'
                union all
                select device_id, time, value from analytics.event where user_id = '\(user)'
            ) r
            """)
        return [rows.int64(0, 0), rows.int64(0, 1)]
    }

    /// The packed tables, with those of their large values, whose files have these bytes. A value
    /// that is compressed begins with its first bytes as they are.
    private static func filesWith(
        _ text: String, on connection: Connection
    ) throws -> [String] {
        try connection.execute("checkpoint")
        let rows = try connection.query(
            """
            select c.relname from pg_class c
            where c.relkind in ('r', 't') and (c.relnamespace = 'sluice_sealed'::regnamespace
                    or c.oid in (select p.reltoastrelid from pg_class p
                        where p.relnamespace = 'sluice_sealed'::regnamespace))
                and position('\(text)'::bytea in pg_read_binary_file(pg_relation_filepath(c.oid))) > 0
            order by 1
            """)
        return (0..<rows.count).map { rows.string($0, 0) }
    }

    @Test func `a dry run counts what a run removes, and changes nothing`() throws {
        let connection = try TestCluster.shared.freshConnection(named: "erasure")
        try Household.settle(Household.bob, on: connection)
        try Household.settle(Household.alice, on: connection)
        let before = try Contents.all(on: connection)
        let survey = try Eraser.survey(Household.alice, on: connection)
        #expect(try Contents.all(on: connection) == before)
        let report = try Eraser.erase(Household.alice, on: connection, removeFile: { _ in true })
        func rows(_ report: ErasureReport) -> [String: Int] {
            Dictionary(uniqueKeysWithValues: report.tables.map { ($0.table, $0.rows) })
        }
        #expect(rows(survey) == rows(report))
        #expect(survey.devices == report.devices)
        #expect(survey.files == report.files && survey.files.shared == 1)
        #expect(survey.rows > 100 && survey.bytes > 1000 && !survey.isComplete)
        let again = try Eraser.survey(Household.alice, on: connection)
        #expect(again.isComplete && again.rows == 0 && again.files.removed == 0)
    }

    /// A run looks at a content in several steps if several rows name it.
    @Test(arguments: [ErasureLimits(), small()])
    func `a dry run and a run count the same files, each content once`(
        _ limits: ErasureLimits
    ) throws {
        let connection = try TestCluster.shared.freshConnection(named: "erasure")
        try Household.settle(Household.bob, on: connection)
        try Household.settle(Household.alice, on: connection)
        // One more row of hers for a file of a capture, for one of the journal, and for the
        // shared file.
        try connection.execute(
            """
            insert into sluice.media_file (path, object, digest, bytes, content_type, user_id)
            select 'again/' || m.path, m.object, m.digest, m.bytes, m.content_type,
                '\(Household.alice)'
            from sluice.media_file m
            where m.path like 'memories/\(Household.alice)-_/photo.jpg'
                or (m.user_id = '\(Household.alice)' and m.object in (
                    '\(Household.object(Household.alice, 30))', '\(Household.sharedObject)'));
            update sluice.media_file set object = '\(Household.sharedObject)'
            where path = 'memories/\(Household.alice)-1/photo.jpg'
            """)
        func isOld(_ object: ErasedObject) -> Bool { !object.name.hasSuffix("1040") }
        let survey = try Eraser.survey(
            Household.alice, on: connection, limits: limits, isOld: isOld)
        #expect(survey.files.shared == 1 && survey.files.leftToSweep == 1)
        #expect(survey.files.removed == 3 + 1 + 3 + 5 + 5)
        let report = try Eraser.erase(
            Household.alice, on: connection, limits: limits, removeFile: isOld)
        #expect(survey.files == report.files)
        #expect(survey.rows == report.rows && report.isComplete)
    }

    @Test func `a run that was interrupted at any step is finished by the next one`() throws {
        var cuts = 0
        for step in stride(from: 1, to: 200, by: 7) {
            let settings = try TestCluster.shared.freshDatabase(named: "erasure")
            let connection = try Connection.open(settings, deadline: .now + .seconds(30))
            try Household.settle(Household.bob, on: connection)
            let before = try Contents.all(on: connection)
            try Household.settle(Household.alice, on: connection)
            let words = try Self.words + Self.keys(on: connection)
            var steps = 0
            func next() {
                steps += 1
                if steps == step { connection.close() }
            }
            do {
                _ = try Eraser.erase(
                    Household.alice, on: connection, limits: Self.small(),
                    removeFile: { _ in
                        next(); return true
                    }, progress: { _ in next() })
                #expect(steps < step)
                break
            } catch let error as PostgresError {
                #expect(error.kind == .connectionLost)
                cuts += 1
            }
            let second = try Connection.open(settings, deadline: .now + .seconds(30))
            let report = try Eraser.erase(Household.alice, on: second, removeFile: { _ in true })
            #expect(report.isComplete)
            #expect(try Contents.columns(with: words, on: second) == [], "step \(step)")
            let after = try Contents.all(on: second)
            for (table, rows) in after { #expect(rows == before[table], "\(table), step \(step)") }
        }
        #expect(cuts >= 8)
    }

    /// Checks the counts at the end of each transaction: a run can only be interrupted between
    /// two.
    @Test(arguments: [ErasureLimits(), small()])
    func `a device's count of readings matches its rows at every moment`(
        _ limits: ErasureLimits
    ) throws {
        let connection = try TestCluster.shared.freshConnection(named: "erasure")
        try Household.settle(Household.alice, on: connection)
        let wrong = """
            select from sluice.device_state s where s.readings <>
                (select count(*) from sluice.gps r where r.device_key = s.device_key)
                + (select count(*) from sluice.vital r where r.device_key = s.device_key)
                + (select count(*) from sluice.event r where r.device_key = s.device_key)
            """
        try connection.execute(
            """
            update sluice.device_state s set readings = 3 * 3 * 7;
            create function count_again() returns trigger language plpgsql as $$
            begin
                if exists (\(wrong)) then raise exception 'a count is wrong'; end if;
                return null;
            end $$
            """)
        for table in ["gps", "vital", "event"] {
            try connection.execute(
                """
                create constraint trigger count_again after delete on sluice.\(table)
                deferrable initially deferred for each row execute function count_again()
                """)
        }
        // A file of an archived day is unavailable: a part remains, and the devices stay.
        let report = try Eraser.erase(
            Household.alice, on: connection, limits: limits, removeFile: { _ in true },
            removeArchived: { _ in
                var count = ArchiveCount()
                count.failures = ["gps-1.lz4: on another node"]
                return count
            })
        #expect(!report.isComplete)
        let counts = try connection.query("select readings from sluice.device_state")
        #expect((0..<counts.count).map { counts.int64($0, 0) } == [0, 0])
    }

    /// A table that the tests' cluster does not have. Its `device_key` identifies no device.
    private static let onCitus = "sluice.shard_heartbeat"

    @Test func `the list has exactly the tables of the schema, with their keys`() throws {
        let connection = try TestCluster.shared.freshConnection(named: "erasure")
        let rows = try connection.query(
            """
            select format('%I.%I %s', n.nspname, c.relname,
                coalesce(pg_get_constraintdef(k.oid), 'PRIMARY KEY ()'))
            from pg_class c join pg_namespace n on n.oid = c.relnamespace
            left join pg_constraint k on k.conrelid = c.oid and k.contype = 'p'
            where n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast',
                    'sluice_partitions', 'sluice_sealed')
                and c.relkind in ('r', 'p') and not c.relispartition order by 1
            """)
        let found = (0..<rows.count).map { rows.string($0, 0) }
        // If this fails for a new table: Schema.tables must say whose rows are in it.
        let listed = Schema.tables.filter { $0.qualifiedName != Self.onCitus }
            .map { "\($0.qualifiedName) PRIMARY KEY (\($0.key.joined(separator: ", ")))" }
        #expect(Set(listed).symmetricDifference(found) == [])
        #expect(listed.count == found.count)
    }

    @Test func `no table that is kept has a column for a user or a device`() throws {
        let connection = try TestCluster.shared.freshConnection(named: "erasure")
        for table in Schema.tables where !table.isErased && table.qualifiedName != Self.onCitus {
            let rows = try connection.query(
                """
                select attname::text from pg_attribute
                where attrelid = '\(table.qualifiedName)'::regclass and attnum > 0
                    and attname ~ 'user|owner|device|capture_id|file_id'
                """)
            #expect(rows.count == 0, "\(table.name)")
        }
    }

    @Test func `the erasure record names nobody, and proves the erasure to those who ask`()
        throws
    {
        let connection = try TestCluster.shared.freshConnection(named: "erasure")
        try Household.settle(Household.alice, on: connection)
        for _ in 1...2 {
            _ = try Eraser.erase(Household.alice, on: connection, removeFile: { _ in true })
        }
        _ = try Eraser.erase("nobody", on: connection, removeFile: { _ in true })
        let rows = try connection.query(
            """
            select (rows_removed->>'sluice.gps')::int, is_complete, finished_at >= started_at
            from sluice.erasures_of('\(Household.alice)')
            """)
        #expect(rows.count == 2)
        #expect(rows.int32(0, 0) == 2 * 3 * 7 && rows.isNull(1, 0))
        #expect(rows.bool(0, 1) && rows.bool(1, 1) && rows.bool(0, 2))
        let digests = try connection.query("select count(distinct digest) from sluice.erasure")
        #expect(digests.int64(0, 0) == 3)
    }

    @Test func `files that are too new are left to the sweep, and counted`() throws {
        let connection = try TestCluster.shared.freshConnection(named: "erasure")
        try Household.settle(Household.alice, on: connection)
        let report = try Eraser.erase(
            Household.alice, on: connection, removeFile: { !$0.name.hasSuffix("1040") })
        #expect(report.files.leftToSweep == 1)
        // Without the other user, the shared file is removed too.
        #expect(report.files.removed == 3 + 1 + 3 + 5 + 5 + 1 && report.isComplete)
    }

    @Test func `devices stay while a file of theirs is unavailable, and go with the next run`()
        throws
    {
        let connection = try TestCluster.shared.freshConnection(named: "erasure")
        try Household.settle(Household.alice, on: connection)
        let keys = try Self.keys(on: connection)
        var asked: [Set<Int64>] = []
        let report = try Eraser.erase(
            Household.alice, on: connection, removeFile: { _ in true },
            removeArchived: { keys in
                asked.append(keys)
                var count = ArchiveCount()
                count.rowsRemoved = 9
                count.failures = ["gps-1.lz4: on another node"]
                return count
            })
        #expect(!report.isComplete && report.passes == 1 && report.archives.rowsRemoved == 9)
        #expect(report.devicesLeft == keys.count)
        #expect(asked.count == 1 && Set(asked[0].map { "\($0)" }) == Set(keys))
        #expect(try Self.keys(on: connection) == keys)
        let left = try connection.query("select count(*) from sluice.gps")
        #expect(left.int64(0, 0) == 0)
        let next = try Eraser.erase(
            Household.alice, on: connection, removeFile: { _ in true },
            removeArchived: { keys in
                asked.append(keys); return ArchiveCount()
            })
        #expect(next.isComplete && asked.count == 2 && asked[0] == asked[1])
        #expect(next.devicesLeft == 0)
        #expect(try Contents.columns(with: Self.words + keys, on: connection) == [])
    }

    @Test(.timeLimit(.minutes(10)))
    func `readings that arrive during the run have a device, and the report mentions them`()
        throws
    {
        let settings = try TestCluster.shared.freshDatabase(named: "erasure")
        let connection = try Connection.open(settings, deadline: .now + .seconds(60))
        try Household.settle(Household.alice, on: connection)
        let key = try #require(try Self.keys(on: connection).first)
        // Stores readings as lanes do, between any two steps of the erasure.
        let writer = try Connection.open(settings, deadline: .now + .seconds(60))
        var steps = 0
        func store() {
            steps += 1
            _ = try? writer.execute(
                """
                begin;
                update sluice.device_state set last_seen = now() where device_key = \(key);
                insert into sluice.device (device_key, device_id, user_id)
                    values (\(key), 'alice-phone', '\(Household.alice)') on conflict do nothing;
                insert into sluice.device_state (device_key, key_check) values (\(key), 1)
                    on conflict do nothing;
                insert into sluice.gps values (\(key), '2026-03-02 07:00Z', 1, 2);
                commit
                """)
        }
        let report = try Eraser.erase(
            Household.alice, on: connection, removeFile: { _ in true }, progress: { _ in store() })
        #expect(!report.isComplete && report.passes == 5 && steps > 50)
        // The other device is gone; the new readings of this one have their device.
        let orphans = try connection.query(
            """
            select count(*) filter (where d.device_key is null or s.device_key is null), count(*)
            from sluice.gps g left join sluice.device d using (device_key)
            left join sluice.device_state s using (device_key)
            """)
        #expect(orphans.int64(0, 0) == 0 && orphans.int64(0, 1) > 0)
        #expect(try Self.keys(on: connection) == [key])
        let quiet = try Eraser.erase(Household.alice, on: connection, removeFile: { _ in true })
        #expect(quiet.isComplete)
        #expect(try Contents.columns(with: Self.words + [key], on: connection) == [])
    }

    @Test func `copies of archived days are forgotten too, and named if that fails`() throws {
        let connection = try TestCluster.shared.freshConnection(named: "erasure")
        try Household.settle(Household.bob, on: connection)
        try Household.settle(Household.alice, on: connection)
        try connection.execute(
            """
            create schema looked_at;
            create table looked_at.gps_20260302 as
                select * from sluice_partitions.gps_20260302;
            comment on table looked_at.gps_20260302 is
                'Copy by sluice archive restore: gps_20260302';
            create table looked_at.mine as select * from looked_at.gps_20260302;
            create function looked_at.refuse() returns trigger language plpgsql as
                $$ begin raise exception 'no'; end $$;
            create trigger refuse before delete on looked_at.gps_20260302
                execute function looked_at.refuse()
            """)
        func rows(_ table: String) throws -> Int {
            Int(try connection.query("select count(*) from \(table)").int64(0, 0))
        }
        let before = try rows("looked_at.gps_20260302")
        let survey = try Eraser.survey(Household.alice, on: connection)
        let counted = survey.tables.first { $0.table == "looked_at.gps_20260302" }?.rows ?? 0
        #expect((1..<before).contains(counted))
        let refused = try Eraser.erase(Household.alice, on: connection, removeFile: { _ in true })
        #expect(!refused.isComplete)
        #expect(
            refused.archives.failures
                == ["looked_at.gps_20260302: refused with P0001, drop that table"])
        // Its devices are still known, so the next run finds its rows.
        try connection.execute("drop trigger refuse on looked_at.gps_20260302")
        let report = try Eraser.erase(
            Household.alice, on: connection, vacuums: true, removeFile: { _ in true })
        #expect(report.isComplete)
        #expect(report.tables.first { $0.table == "looked_at.gps_20260302" }?.rows == counted)
        #expect(try rows("looked_at.gps_20260302") == before - counted)
        #expect(try rows("looked_at.mine") == before)
    }

    @Test func `detached days are forgotten too`() throws {
        let connection = try TestCluster.shared.freshConnection(named: "erasure")
        try Household.settle(Household.bob, on: connection)
        try Household.settle(Household.alice, on: connection)
        try connection.execute(
            """
            alter table sluice.gps detach partition sluice_partitions.gps_20260302;
            alter table sluice_partitions.gps_20260302 rename to leaving_1_gps_20260302
            """)
        let survey = try Eraser.survey(Household.alice, on: connection)
        #expect(survey.tables.first { $0.table == "sluice.gps" }?.rows == 2 * 3 * 7)
        let report = try Eraser.erase(
            Household.alice, on: connection, vacuums: true, removeFile: { _ in true })
        #expect(report.tables.first { $0.table == "sluice.gps" }?.rows == 2 * 3 * 7)
        let rows = try connection.query(
            "select count(*) from sluice_partitions.leaving_1_gps_20260302")
        #expect(rows.int64(0, 0) == 7)
    }

    @Test func `a table and a file that refuse are named, and everything else is removed`() throws {
        let connection = try TestCluster.shared.freshConnection(named: "erasure")
        try Household.settle(Household.alice, on: connection)
        let all = try Eraser.survey(Household.alice, on: connection)
        let contacts = all.tables.first { $0.table == "sluice.contact" }?.rows ?? 0
        #expect(contacts > 0)
        try connection.execute(
            """
            create function refuse() returns trigger language plpgsql as $$
            begin raise exception 'no'; end $$;
            create trigger refuse before delete on sluice.contact
            for each row execute function refuse()
            """)
        struct Broken: Error, CustomStringConvertible { var description: String { "EIO" } }
        var asked: [String] = []
        let report = try Eraser.erase(
            Household.alice, on: connection,
            removeFile: { object in
                asked.append(object.name)
                if asked.count == 1 { throw Broken() }
                return true
            })
        #expect(!report.isComplete && report.passes == 1)
        #expect(
            Set(report.failures) == [
                "sluice.contact: refused P0001 no", "file \(asked[0]): EIO",
            ])
        #expect(report.files.leftToSweep == 1 && report.files.removed == asked.count - 1)
        let left = try Eraser.survey(Household.alice, on: connection)
        #expect(left.tables.map(\.table) == ["sluice.contact"])
        try connection.execute("drop trigger refuse on sluice.contact")
        let again = try Eraser.erase(Household.alice, on: connection, removeFile: { _ in true })
        #expect(again.isComplete && again.failures.isEmpty && again.rows == contacts)
    }
}
