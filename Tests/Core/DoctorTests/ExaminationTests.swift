import Doctor
import Postgres
import Testing

/// A healthy installation with one thing changed.
private struct Case: Sendable, CustomTestStringConvertible {
    let id: String
    let severity: Severity
    /// Text that the first line of the fix must contain.
    let fix: String
    let change: @Sendable (inout Facts) -> Void

    init(
        _ id: String, _ severity: Severity, _ fix: String,
        _ change: @escaping @Sendable (inout Facts) -> Void
    ) {
        (self.id, self.severity, self.fix, self.change) = (id, severity, fix, change)
    }

    /// A case that changes the database's facts.
    static func database(
        _ id: String, _ severity: Severity, _ fix: String,
        _ change: @escaping @Sendable (inout DatabaseFacts) -> Void
    ) -> Case {
        Case(id, severity, fix) { facts in
            guard case .reached(var database) = facts.database else { return }
            change(&database)
            facts.database = .reached(database)
        }
    }

    /// A case that changes one setting.
    static func setting(_ name: String, _ value: String, _ severity: Severity, _ fix: String)
        -> Case
    {
        database("settings.\(name)", severity, fix) { $0.settings[name]?.value = value }
    }

    var testDescription: String { "\(id) \(severity) \(fix)" }
}

@Suite struct ExaminationTests {
    private static func healthy() -> Facts {
        var database = DatabaseFacts(version: 150_004, binaryVersion: 15)
        database.name = "telemetry"
        database.role = "writer"
        database.ownsSchema = true
        database.schemaVersion = 15
        database.connectionsInUse = 12
        database.clockSkewSeconds = 0.002
        database.tables.missing = 0
        database.tables.partitions = 3
        database.settings = [
            "fsync": ServerSetting("on"), "full_page_writes": ServerSetting("on"),
            "synchronous_commit": ServerSetting("on"), "data_checksums": ServerSetting("on"),
            "wal_level": ServerSetting("replica", needsRestart: true),
            "archive_mode": ServerSetting("off", needsRestart: true),
            "shared_buffers": ServerSetting("131072", unit: "8kB", needsRestart: true),
            "max_wal_size": ServerSetting("4096", unit: "MB"),
            "checkpoint_timeout": ServerSetting("900", unit: "s"),
            "checkpoint_completion_target": ServerSetting("0.9"),
            "wal_compression": ServerSetting("lz4"), "autovacuum": ServerSetting("on"),
            "max_connections": ServerSetting("100", needsRestart: true),
            "max_locks_per_transaction": ServerSetting("64", needsRestart: true),
            "superuser_reserved_connections": ServerSetting("3"),
            "autovacuum_freeze_max_age": ServerSetting("200000000"),
        ]
        database.work.keysInForce = 1
        var facts = Facts(database: .reached(database), isPrivate: false)
        facts.demand.spoolBytesMax = 4 << 30
        facts.demand.spoolFreeBytesMin = 512 << 20
        facts.demand.memoryBytes = 1 << 30
        facts.demand.backlog = 1024
        facts.machine.memoryBytes = 8 << 30
        facts.machine.openFilesMax = 65_536
        facts.machine.isClockSynchronised = true
        facts.machine.backlogMax = 4096
        facts.machine.inspector = ("/usr/lib/sluice/sluice-inspect", true)
        var disk = DiskFacts(.spool, path: "/var/lib/sluice")
        (disk.bytes, disk.bytesFree, disk.files, disk.filesFree) = (100 << 30, 60 << 30, 1000, 900)
        facts.disks = [disk]
        var certificate = CertificateFacts(path: "/c.pem", keyPath: "/k.pem")
        (certificate.secondsLeft, certificate.keyMode) = (60 * 86_400, 0o600)
        facts.certificate = certificate
        facts.spool = SpoolFacts(path: "/var/lib/sluice/spool")
        facts.spool?.units = 0
        facts.access.isSecure = true
        return facts
    }

    @Test func `a healthy installation has no faults`() {
        let findings = Examination.findings(Self.healthy())
        #expect(findings.filter { $0.severity != .ok } == [])
        #expect(findings.count >= 25)
        #expect(findings.allSatisfy { $0.fix.isEmpty && $0.reason == nil })
        #expect(Examination.exitCode(findings) == 0)
        let names = findings.map { "\($0.area).\($0.name)" }
        #expect(Set(names).count == names.count)
    }

    private static let cases: [Case] = [
        .database("settings.max_locks_per_transaction", .warning, "= '512'") {
            $0.tables.partitions = 3 * 1000
        },
        .database("database.version", .problem, "pg_upgrade") { $0.version = 130_010 },
        .database("database.version", .notice, "use PostgreSQL 15") { $0.version = 160_002 },
        .database("database.schema", .problem, "newer sluice") { $0.schemaVersion = 16 },
        .database("database.schema", .notice, "newer sluice") {
            ($0.schemaVersion, $0.toleratesSchema) = (16, true)
        },
        .database("database.schema", .warning, "sluice migrate") { $0.schemaVersion = 12 },
        .database("database.schema", .notice, "sluice migrate") { $0.schemaVersion = nil },
        .database("database.rights", .problem, "GRANT CREATE ON DATABASE telemetry TO writer") {
            ($0.schemaVersion, $0.createsSchemas) = (nil, false)
        },
        .database("database.owner", .problem, "TO writer") { $0.ownsSchema = false },
        .database("database.roles", .notice, "CREATEROLE") { $0.createsRoles = false },
        .database("database.monitoring", .notice, "GRANT pg_monitor TO writer") {
            $0.monitors = false
        },
        .database("database.standby", .problem, "read-write") { $0.isStandby = true },
        .database("database.encryption", .warning, "sslmode=verify-full") { $0.isRemote = true },
        .database("database.clock", .warning, "set-ntp") { $0.clockSkewSeconds = -4 },
        .database("database.clock", .problem, "set-ntp") { $0.clockSkewSeconds = 100 },
        .setting(
            "fsync", "off", .problem, "ALTER SYSTEM SET fsync = 'on'; SELECT pg_reload_conf();"),
        .setting("full_page_writes", "off", .problem, "full_page_writes = 'on'"),
        .setting("synchronous_commit", "off", .warning, "synchronous_commit = 'on'"),
        .setting("synchronous_commit", "local", .warning, "synchronous_commit = 'on'"),
        .setting("data_checksums", "off", .notice, "pg_checksums"),
        .setting("wal_level", "minimal", .notice, "wal_level = 'replica';   -- then restart"),
        .setting("shared_buffers", "8192", .warning, "shared_buffers = '1GB';   -- then restart"),
        .setting("max_wal_size", "1024", .warning, "max_wal_size = '4GB'"),
        .setting("checkpoint_timeout", "300", .notice, "checkpoint_timeout = '15min'"),
        .setting("checkpoint_completion_target", "0.5", .warning, "= '0.9'"),
        .setting("wal_compression", "off", .notice, "wal_compression = 'lz4'"),
        .setting("max_connections", "20", .problem, "max_connections = "),
        .database("settings.max_connections", .warning, "'200'") { $0.connectionsInUse = 95 },
        .database("settings.archiving", .problem, "pg_stat_archiver") {
            $0.archive.isFailing = true
        },
        .database("settings.standbys", .notice, "ANY 1 (*)") {
            $0.archive.standbys = [
                StandbyFacts(name: "b", isSynchronous: false, bytesBehind: 4096)
            ]
        },
        .database("settings.standbys", .notice, "GRANT pg_monitor TO writer") {
            $0.archive.standbys = nil
        },
        .database("settings.replication slots", .warning, "pg_drop_replication_slot") {
            ($0.archive.slots, $0.archive.slotBytes) = (["old"], 2 << 30)
        },
        .database("settings.lost slots", .warning, "pg_drop_replication_slot") {
            $0.archive.lostSlots = ["old"]
        },
        Case("tables.retention", .notice, "SLUICE_ARCHIVE_DIRECTORY=") { $0.retention.days = 30 },
        Case("tables.retention", .problem, "mkdir -m 700 /a/b") {
            $0.retention.days = 30
            $0.retention.destination = .directory("/a/b", isThere: false)
        },
        Case("tables.retention", .problem, "SLUICE_AWS_ACCESS_KEY_ID") {
            $0.retention.days = 30
            $0.retention.destination = .bucket("s3://bucket", fault: "the bucket is full")
        },
        Case("tables.retention, clock", .warning, "select now()") { facts in
            facts.retention.days = 30
            facts.retention.destination = .directory("/a/b", isThere: true)
            guard case .reached(var database) = facts.database else { return }
            database.tables.quietSeconds = 8 * 86_400
            facts.database = .reached(database)
        },
        .database("tables.autovacuum", .problem, "autovacuum = on") {
            $0.settings["autovacuum"]?.value = "off"
        },
        .database("tables.autovacuum", .warning, "ALTER TABLE sluice.gps RESET") {
            $0.tables.withoutAutovacuum = ["sluice.gps"]
        },
        .database("tables.days ahead", .warning, "ensure_days") {
            ($0.tables.missing, $0.tables.firstMissingDay) = (5, "2026-03-02")
        },
        .database("tables.vacuum", .notice, "autovacuum_vacuum_cost_limit") {
            $0.tables.daysUnvacuumed = 3
        },
        .database("tables.planner statistics", .warning, "ANALYZE sluice.gps, sluice.vital") {
            $0.tables.statistics = [
                PlannerStatistics.Table("sluice.gps", rows: 20_000, analyzedRows: nil),
                PlannerStatistics.Table("sluice.event", rows: 20_000, analyzedRows: 20_000),
                PlannerStatistics.Table("sluice.vital", rows: 200_000, analyzedRows: 20_000),
            ]
        },
        .database("tables.oldest row", .warning, "VACUUM (FREEZE") {
            $0.tables.oldestFrozenAge = 300_000_000
        },
        .database("tables.oldest row", .problem, "VACUUM (FREEZE") {
            $0.tables.oldestFrozenAge = 1_500_000_000
        },
        .database("tables.oldest transaction", .warning, "pg_stat_activity") {
            $0.tables.oldestTransactionSeconds = 7200
        },
        .database("tables.forgotten locks", .warning, "pg_terminate_backend(77)") {
            $0.tables.idleHolders = [IdleHolder(pid: 77, role: "ann", idleSeconds: 90)]
        },
        .database("tables.prepared transactions", .warning, "pg_prepared_xacts") {
            $0.tables.preparedForgotten = 1
        },
        .database("work.dead jobs", .warning, "sluice jobs list") { $0.work.jobsDead = 4 },
        .database("work.waiting jobs", .warning, "start a server") {
            ($0.work.jobsDue, $0.work.jobsDueSeconds) = (9, 3600)
        },
        .database("work.quarantine", .notice, "sluice quarantine list") {
            ($0.work.quarantinedLastDay, $0.work.readings) = (200, 10_000_000)
        },
        .database("work.quarantine", .warning, "sluice quarantine list") {
            ($0.work.quarantinedLastDay, $0.work.readings) = (200, 10_000)
        },
        .database("work.set aside", .warning, "sluice units list") { $0.work.unitsSetAside = 1 },
        .database("work.hourly sums", .warning, "sluice rollups rebuild --from 2026-02-01") {
            $0.work.devicesUnsummed = 4
            $0.work.devicesUnsummedMostly = ["d (hours: 2, SQLSTATE 22003)"]
            $0.work.daysUnsummed = ("2026-02-01", "2026-02-10")
        },
        .database("keys.keys", .notice, "sluice keys create") { $0.work.keysInForce = 0 },
        .database("keys.expiry", .warning, "sluice keys create") { $0.work.keysRunningOut = ["a"] },
        Case("machine.file limit", .notice, "LimitNOFILE=1000") {
            $0.machine.openFilesMax = 512
        },
        Case("machine.file limit", .warning, "LimitNOFILE=1000") {
            ($0.machine.openFilesMax, $0.machine.isLimitOfServer) = (512, true)
        },
        Case("machine.file limit", .warning, "LimitNOFILE=1000") {
            ($0.machine.openFilesMax, $0.demand.openFilesMin) = (64, 172)
        },
        Case("machine.memory", .warning, "SLUICE_IN_FLIGHT_BYTES_MAX=") {
            $0.machine.memoryBytes = 1200 << 20
        },
        Case("machine.memory", .problem, "SLUICE_IN_FLIGHT_BYTES_MAX=") {
            $0.machine.memoryBytes = 512 << 20
        },
        Case("machine.clock", .notice, "set-ntp") { $0.machine.isClockSynchronised = false },
        Case("machine.inspector", .warning, "package sluice-inspect") {
            $0.machine.inspector = ("/usr/bin/sluice-inspect", false)
        },
        Case("machine.backlog", .notice, "somaxconn=1024") { $0.machine.backlogMax = 128 },
        Case("disks.spool", .problem, "chown") { $0.disks[0].isWritable = false },
        Case("disks.spool", .problem, "SLUICE_SPOOL_FREE_BYTES_MIN") {
            $0.disks[0].bytesFree = 400 << 20
        },
        Case("disks.spool", .warning, "make room") { $0.disks[0].bytesFree = 5 << 30 },
        Case("disks.spool", .notice, "SLUICE_SPOOL_BYTES_MAX=") {
            $0.demand.spoolBytesMax = 80 << 30
        },
        Case("disks.data directory", .problem, "make room") { facts in
            var disk = DiskFacts(.data, path: "/")
            (disk.bytes, disk.bytesFree) = (100 << 30, 100 << 20)
            facts.disks.append(disk)
        },
        Case("disks.spool, inodes", .warning, "df -i") { $0.disks[0].filesFree = 10 },
        Case("tls.certificate", .problem, "renew /c.pem") { $0.certificate?.secondsLeft = -5 },
        Case("tls.certificate", .problem, "renew /c.pem") { $0.certificate?.secondsLeft = 86_400 },
        Case("tls.certificate", .warning, "renew /c.pem") {
            $0.certificate?.secondsLeft = 10 * 86_400
        },
        Case("tls.certificate", .problem, "SLUICE_TLS_CERT") { $0.certificate?.fault = "no key" },
        Case("tls.private key", .warning, "chmod 600 /k.pem") { $0.certificate?.keyMode = 0o644 },
        Case("spool.size", .warning, "sluice spool status") { $0.spool?.bytes = 3 << 30 },
        Case("spool.size", .problem, "sluice spool status") { $0.spool?.bytes = 4 << 30 },
        Case("spool.oldest", .warning, "sluice serve") {
            $0.spool?.units = 5
            $0.spool?.oldestSeconds = 3600
        },
        Case("spool.damage", .problem, "sluice spool verify") { $0.spool?.damaged = ["1.lz4"] },
        Case("spool.set aside", .warning, "sluice spool replay --set-aside") {
            $0.spool?.setAside = ["bad-1.lz4"]
        },
        Case("spool.moved aside, intact", .problem, "restart the server") {
            $0.spool?.setAside = ["bad-1.lz4"]
            $0.spool?.setAsideIntact = ["bad-1.lz4"]
        },
        Case("spool.unreadable now", .problem, "check the disk") {
            $0.spool?.unread = ["1.lz4: Input/output error"]
        },
        Case("spool.spool", .notice, "SLUICE_SPOOL_BYTES_MAX") { $0.demand.spoolBytesMax = 0 },
        Case("spool.spool", .problem, "look at") { $0.spool?.fault = "no right" },
        Case("keys.key file", .warning, "chmod 600") { $0.access.isKeyFileOpen = true },
        Case("keys.open routes", .notice, "SLUICE_JWT_SECRET") { $0.access.isOpen = true },
        Case("keys.open routes", .problem, "SLUICE_JWT_SECRET") {
            ($0.access.isOpen, $0.access.isLoopback, $0.access.host) = (true, false, "0.0.0.0")
        },
        Case("keys.trusted paths", .notice, "SLUICE_TRUST_PATH_USER") {
            $0.access.trustsPathUser = true
        },
        Case("keys.trusted paths", .warning, "SLUICE_TRUST_PATH_USER") {
            ($0.access.trustsPathUser, $0.access.isLoopback) = (true, false)
            $0.access.isSecure = true
        },
        Case("keys.plain HTTP", .notice, "SLUICE_TLS_CERT") {
            ($0.access.isSecure, $0.access.isLoopback) = (false, false)
        },
        Case("database.reachable", .problem, "DATABASE_URL") {
            $0.database = .unreachable(reason: "connection refused")
        },
        Case("database.reachable", .problem, "sluice serve") {
            ($0.database, $0.isPrivate) = (.unreachable(reason: "connection refused"), true)
        },
        Case("database.epoch", .problem, "sluice epoch show") {
            $0.database = .epochRefused(
                reason: "the server is on timeline 1, and 2 was seen before")
        },
        Case("database.pooler", .problem, "pool_mode = session") {
            $0.database = .sessionsShared(reason: "a connection pooler in transaction mode")
        },
        Case("database.reachable", .notice, "sluice serve") { $0.database = .notMade },
        Case("database.reachable", .problem, "apt-get install postgresql") {
            $0.database = .programsMissing(version: nil)
        },
        Case("database.reachable", .problem, "apt-get install postgresql-15") {
            $0.database = .programsMissing(version: "15")
        },
        Case("database.running", .notice, "sluice serve") { $0.wasStarted = true },
    ]

    @Test(arguments: cases) private func `a single fault is found, and nothing else`(
        _ one: Case
    ) throws {
        var facts = Self.healthy()
        one.change(&facts)
        let bad = Examination.findings(facts).filter { $0.severity != .ok }
        let finding = try #require(bad.first { "\($0.area).\($0.name)" == one.id })
        #expect(finding.severity == one.severity)
        #expect(finding.reason?.hasSuffix(".") == true && !finding.found.isEmpty)
        #expect(finding.fix.first?.contains(one.fix) == true, "\(finding.fix)")
        // In a database without tables, days and rights can't be checked.
        #expect(bad.count == 1 || one.id == "database.rights", "\(bad)")
    }

    @Test func `a spool that is switched off says what else is off, and which records it holds`() {
        var facts = Self.healthy()
        facts.demand.spoolBytesMax = 0
        facts.spool?.units = 7
        guard case .reached(var database) = facts.database else { return }
        database.archive.standbys = [
            StandbyFacts(name: "b", isSynchronous: false, bytesBehind: 0)
        ]
        facts.database = .reached(database)
        let found = Examination.findings(facts).filter { $0.area == .spool }
        #expect(found.map(\.name) == ["spool", "left over"])
        #expect(found.map(\.severity) == [.warning, .problem])
        #expect(found.first?.reason?.contains("SLUICE_UNREPLICATED_BYTES_MAX is off too") == true)
        #expect(found.last?.fix == ["sluice spool replay"])
    }

    @Test func `the worst finding decides the exit code`() {
        for (severity, code) in [
            (Severity.ok, 0), (.notice, 0), (.warning, 1), (.problem, 2),
        ] as [(Severity, Int32)] {
            let findings = [Severity.ok, severity, .ok].map {
                Finding(area: .disks, name: "x", severity: $0, found: "", reason: nil, fix: [])
            }
            #expect(Examination.exitCode(findings) == code)
        }
        #expect(Examination.exitCode([]) == 0)
    }

    @Test func `fixes for the private cluster's settings use sluice psql`() throws {
        var facts = Self.healthy()
        facts.isPrivate = true
        guard case .reached(var database) = facts.database else { return }
        database.settings["fsync"]?.value = "off"
        database.settings["wal_level"]?.value = "minimal"
        facts.database = .reached(database)
        let findings = Examination.findings(facts)
        #expect(
            findings.first { $0.name == "fsync" }?.fix == [
                #"sluice psql -c "ALTER SYSTEM SET fsync = 'on'" -c "SELECT pg_reload_conf()""#
            ])
        #expect(
            findings.first { $0.name == "wal_level" }?.fix == [
                #"sluice psql -c "ALTER SYSTEM SET wal_level = 'replica'"   # then restart sluice"#
            ])
    }
}
