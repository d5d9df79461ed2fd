import Analysts
import Doctor
import Glibc
import Postgres
import Readings
import TestSupport
import Testing

@Suite struct GatheringTests {
    @Test func `every fact that the rules need is read from the server`() throws {
        let connection = try TestCluster.shared.freshConnection(named: "diagnosis")
        try connection.execute("select sluice.ensure_days(current_date, current_date + 2)")
        try connection.execute(
            """
            alter table sluice.quarantine set (autovacuum_enabled = off);
            select sluice.enqueue_job('a', 'b', '{}', now() - interval '1 h');
            select sluice.enqueue_job('c', 'd', '{}');
            select sluice.item_failed('retention', d, 'disk full') from unnest(array['x', 'y']) d;
            select sluice.item_failed('retention', 'y', 'disk full');
            update sluice.job set dead_at = now(), due_at = 'infinity', last_error = 'boom' where kind = 'c';
            insert into sluice.quarantine (device_key, device_id, reason, body, reading_index, api_key)
            values (1, 'x', 't_invalid', 'x', 0, 'k');
            insert into sluice.api_key (name, hash, prefix, scopes, expires_at)
            values ('soon', 'x', 'x', '{ingest}', now() + interval '1 day'),
                ('late', 'y', 'x', '{ingest}', null), ('gone', 'z', 'x', '{ingest}', now() - interval '1 h');
            insert into sluice.device_state (device_key, key_check, gps_until, event_until)
            values (1, 0, now() - interval '30 days', now() - interval '9 days');
            insert into sluice.device_state (device_key, key_check, gps_until)
            values (2, 0, now() - interval '10 days');
            insert into sluice.device (device_key, device_id, user_id) values (1, 'x', 'x');
            insert into sluice.rollup_due (device_key, hour, kind, failures, failure, retry_at)
            values (1, '2026-02-01 23:00+00', 'gps', 3, '22003', now()),
                (1, '2026-02-03 00:00+00', 'gps', 1, '22003', now()),
                (2, '2026-02-01 23:00+00', 'gps', 0, null, null)
            """)
        let facts = try DatabaseFacts.gather(on: connection, daysAhead: 4)
        #expect(facts.version == Int(connection.serverVersion))
        #expect(facts.role == "sluice" && facts.isSuperuser && facts.ownsSchema == true)
        #expect(facts.schemaVersion == facts.binaryVersion)
        #expect(facts.settings.count == 17)
        // The settings of the tests' cluster.
        #expect(facts.settings["fsync"]?.value == "off")
        #expect(facts.settings["shared_buffers"]?.value == "8192")
        #expect(facts.settings["shared_buffers"]?.unit == "8kB")
        #expect(facts.settings["shared_buffers"]?.needsRestart == true)
        #expect(abs(try #require(facts.clockSkewSeconds)) < 0.5)
        #expect(facts.tables.missing == 2 * DayTable.allCases.count)
        #expect(facts.tables.firstMissingDay != nil)
        #expect(facts.tables.partitions == 3 * ReadingKind.allCases.count)
        #expect(facts.tables.withoutAutovacuum == ["sluice.quarantine"])
        #expect(facts.tables.statistics.contains { $0.name == "sluice.metric" })
        #expect(abs(try #require(facts.tables.quietSeconds) - 9 * 86_400) < 600)
        let failing = try #require(facts.work.failing.first)
        #expect(facts.work.failing.count == 1 && failing.pass == "retention" && failing.count == 2)
        #expect(failing.item == "y" && failing.attempts == 2 && failing.error == "disk full")
        #expect(facts.work.jobsDead == 1 && facts.work.jobsDeadMostly == "c: boom")
        #expect(facts.work.jobsDue == 1 && facts.work.jobsDueSeconds >= 3600)
        #expect(facts.work.quarantined == 1 && facts.work.quarantinedMostly == "t_invalid")
        #expect(facts.work.devicesUnsummed == 1)
        #expect(facts.work.devicesUnsummedMostly == ["x (hours: 2, SQLSTATE 22003)"])
        #expect(facts.work.daysUnsummed?.first == "2026-02-01")
        #expect(facts.work.daysUnsummed?.last == "2026-02-03")
        #expect(facts.work.keysInForce == 2 && facts.work.keysRunningOut == ["soon"])
        #expect(facts.connectionsInUse >= 1 && !facts.isRemote)
    }

    @Test(.timeLimit(.minutes(10)))
    func `a session that has locked rows and does nothing is found`() async throws {
        let settings = try TestCluster.shared.freshDatabase(named: "forgotten")
        let own = try Connection.open(settings, deadline: .now + .seconds(300))
        let (reader, writer) = (
            try Connection.open(settings, deadline: .now + .seconds(300)),
            try Connection.open(settings, deadline: .now + .seconds(300))
        )
        try reader.execute("begin; select from sluice.device_state")
        try writer.execute("begin; update sluice.device_state set readings = readings")
        var holders: [IdleHolder] = []
        let isFound = try await eventually(every: .seconds(1)) {
            holders = try DatabaseFacts.gather(on: own, daysAhead: 4).tables.idleHolders
            return !holders.isEmpty
        }
        #expect(isFound && holders.map(\.pid) == [Int(writer.backendID)])
        try writer.execute("rollback")
        #expect(try DatabaseFacts.gather(on: own, daysAhead: 4).tables.idleHolders.isEmpty)
    }

    @Test(.timeLimit(.minutes(10)))
    func `a standby is found, and its lag`() async throws {
        let primary = try TestServer()
        let standby = try primary.makeStandby()
        let connection = try Connection.open(primary.settings, deadline: .now + .seconds(100))
        func standbys() throws -> [StandbyFacts] {
            try DatabaseFacts.gather(on: connection, daysAhead: 4).archive.standbys ?? []
        }
        #expect(try await eventually { try standbys().count == 1 })
        #expect(standby.signal(SIGSTOP, to: "walreceiver") == 1)
        try primary.execute("CREATE TABLE later AS SELECT g FROM generate_series(1, 10000) g")
        let behind = try #require(try standbys().first)
        #expect(behind.name == "standby" && !behind.isSynchronous && behind.bytesBehind > 100_000)
        standby.signal(SIGCONT, to: "walreceiver")
        #expect(try await eventually { try standbys().first?.bytesBehind == 0 })
        try primary.execute("CREATE ROLE guest LOGIN")
        try connection.execute("SET ROLE guest")
        #expect(try DatabaseFacts.gather(on: connection, daysAhead: 4).archive.standbys == nil)
    }

    @Test
    func `a role without rights reads what it may see, and an empty database is no failure`()
        throws
    {
        let settings = try TestCluster.shared.freshDatabase(named: "diagnosis", migrated: false)
        let owner = try Connection.open(settings, deadline: .now + .seconds(30))
        try owner.execute("create role doctor_guest")
        defer { _ = try? owner.execute("drop role doctor_guest") }
        let connection = try Connection.open(settings, deadline: .now + .seconds(30))
        try connection.execute("set role doctor_guest")
        let facts = try DatabaseFacts.gather(on: connection, daysAhead: 4)
        #expect(facts.role == "doctor_guest" && !facts.isSuperuser && !facts.monitors)
        #expect(!facts.createsRoles && !facts.createsSchemas)
        #expect(
            facts.schemaVersion == nil && facts.ownsSchema == nil && facts.tables.missing == nil)
        let findings = Examination.findings(Facts(database: .reached(facts), isPrivate: false))
        let rights = findings.first { $0.name == "rights" }
        #expect(rights?.severity == .problem)
        connection.close()
    }

    @Test func `analysts who were dropped halfway or have changed their limits are found`() throws {
        let connection = try TestCluster.shared.freshConnection(named: "diagnosis")
        let names = ["doctor_whole", "doctor_half", "doctor_free"]
        for name in names { _ = try Analysts.create(name, validUntil: nil, on: connection) }
        defer { for name in names { _ = try? Analysts.drop(name, on: connection) } }
        func findings() throws -> [String: Finding] {
            var facts = try DatabaseFacts.gather(on: connection, daysAhead: 4)
            // Roles belong to the server: others are those of other tests.
            facts.analysts.incomplete.removeAll { !names.contains($0) }
            facts.analysts.unlimited.removeAll { !names.contains($0) }
            let all = Examination.findings(Facts(database: .reached(facts), isPrivate: false))
            return Dictionary(all.map { ($0.name, $0) }) { first, _ in first }
        }
        #expect(try findings()["analysts"]?.severity == .ok)
        try connection.execute(
            """
            ALTER ROLE doctor_half NOLOGIN; ALTER ROLE doctor_free RESET statement_timeout;
            REVOKE SELECT ON analytics.gps FROM \(Analysts.reader)
            """)
        let found = try findings()
        #expect(found["analysts dropped halfway"]?.found == "doctor_half")
        #expect(found["analysts' limits"]?.found == "changed for doctor_free")
        let rights = try #require(found["analysts' rights"])
        try connection.execute(rights.fix[0])
        #expect(try findings()["analysts' rights"] == nil)
    }

    @Test func `the facts of this machine are read`() {
        let machine = MachineFacts.gather(server: getpid())
        #expect((machine.memoryBytes ?? 0) > 64 << 20)
        #expect((machine.openFilesMax ?? 0) > 16 && machine.isLimitOfServer)
        #expect((machine.backlogMax ?? 0) > 0)
        let disk = DiskFacts.gather(.spool, path: "/tmp/there/is/no/such/directory")
        #expect(disk.path == "/tmp" && disk.isWritable)
        #expect((disk.bytes ?? 0) >= (disk.bytesFree ?? 1) && (disk.bytesFree ?? 0) > 0)
        #expect(DiskFacts.mode(of: "/tmp").map { $0 & 0o777 } == 0o777)
        #expect(DiskFacts.mode(of: "/tmp/there/is/no/such/file") == nil)
    }
}
