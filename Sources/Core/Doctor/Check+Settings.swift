import Analysts
import Postgres
import Readings

/// Settings on which the durability of acknowledged data depends.
extension Check {
    static let safety = [
        setting(
            "fsync", to: "on", .problem, isGood: { $0 == "on" },
            why: "If the machine crashes, acknowledged readings are lost and tables may be "
                + "damaged beyond repair."),
        setting(
            "full_page_writes", to: "on", .problem, isGood: { $0 == "on" },
            why: "A page that was being written when the machine crashed stays torn."),
        setting(
            "synchronous_commit", to: "on", isGood: { $0 != "off" && $0 != "local" },
            why: "Sluice overrules it in its own sessions, but other programs lose their last "
                + "commits in a crash or a failover."),
        checksums, standbys, walLevel, archiving, slots, lostSlots,
    ]

    /// A setting that must have another value.
    private static func setting(
        _ name: String, to value: String, _ severity: Severity = .warning,
        isGood: @escaping @Sendable (String) -> Bool, why: String
    ) -> Check {
        Check(
            .settings, name,
            judges: { database, facts in
                guard let setting = database.settings[name] else { return nil }
                if isGood(setting.value) { return .ok(setting.value) }
                return .fault(
                    severity, setting.value, why: why,
                    fix: change(name, to: value, setting, facts))
            })
    }

    private static let checksums = Check(
        .settings, "data_checksums",
        judges: { database, _ in
            guard let checksums = database.settings["data_checksums"] else { return nil }
            if checksums.value == "on" { return .ok("on") }
            return .notice(
                "off", why: "Data that a faulty disk changes is not detected.",
                fix: "stop the server, then: pg_checksums --enable -D DATA_DIRECTORY")
        })

    /// What a failover would lose now.
    private static let standbys = Check(
        .settings, "standbys",
        asks: { (facts, interview) throws(PostgresError) in
            // Without `pg_monitor`, all columns but the name are null.
            let following = """
                select application_name, coalesce(sync_state in ('sync', 'quorum'), false),
                    (pg_current_wal_flush_lsn() - flush_lsn)::bigint
                from pg_stat_replication where state is distinct from 'backup' order by 1
                """
            guard !facts.isStandby, let rows = try interview.ask(following) else { return }
            let isHidden = (0..<rows.count).contains { rows.isNull($0, 2) }
            facts.archive.standbys =
                isHidden
                ? nil
                : (0..<rows.count).map {
                    StandbyFacts(
                        name: rows.string($0, 0), isSynchronous: rows.bool($0, 1),
                        bytesBehind: max(0, Int(rows.int64($0, 2))))
                }
        },
        judges: { database, _ in
            guard let standbys = database.archive.standbys else {
                return .notice(
                    "\(database.role) may not see them",
                    why: "Whether commits wait for a standby decides what a failover loses.",
                    fix: "GRANT pg_monitor TO \(database.role);")
            }
            guard !standbys.isEmpty else { return nil }
            let behind = standbys.map { "\($0.name) \(Figures.bytes($0.bytesBehind)) behind" }
                .joined(separator: ", ")
            if standbys.contains(where: \.isSynchronous) {
                return .ok("commits wait for them: \(behind)")
            }
            return .notice(
                "commits do not wait for them: \(behind)",
                why: "A 200 means that the primary has the data. After a failover the server "
                    + "restores what the standby lacks from its memory, up to "
                    + "SLUICE_UNREPLICATED_BYTES_MAX, unless it was restarted.",
                fix: "ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (*)';   -- with two "
                    + "standbys; with one, writes stop when it does")
        })

    private static let walLevel = Check(
        .settings, "wal_level",
        judges: { database, facts in
            guard let level = database.settings["wal_level"], level.value == "minimal" else {
                return nil
            }
            let isArchiving = (database.settings["archive_mode"]?.value ?? "off") != "off"
            return .fault(
                isArchiving ? .problem : .notice, level.value,
                why: "Neither a backup of the running server nor a replica is possible.",
                fix: change("wal_level", to: "replica", level, facts))
        })

    private static let archiving = Check(
        .settings, "archiving",
        asks: { (facts, interview) throws(PostgresError) in
            let failing = """
                select failed_count > 0
                    and (last_archived_time is null or last_failed_time > last_archived_time)
                from pg_stat_archiver
                """
            guard let rows = try interview.ask(failing), !rows.isNull(0, 0) else { return }
            facts.archive.isFailing = rows.bool(0, 0)
        },
        judges: { database, _ in
            guard database.archive.isFailing else { return nil }
            return .problem(
                "the last attempt failed",
                why: "WAL accumulates until the disk is full, and a backup can't be recovered "
                    + "beyond the last archived segment.",
                fix: "SELECT * FROM pg_stat_archiver;   -- then correct archive_command")
        })

    private static let slots = Check(
        .settings, "replication slots",
        asks: { (facts, interview) throws(PostgresError) in
            let slots = """
                select slot_name::text, pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::bigint
                from pg_replication_slots
                where not active and restart_lsn is not null order by 2 desc
                """
            guard !facts.isStandby, let rows = try interview.ask(slots) else { return }
            for row in 0..<rows.count {
                facts.archive.slots.append(rows.string(row, 0))
                facts.archive.slotBytes += Int(rows.int64(row, 1))
            }
        },
        judges: { database, _ in
            let archive = database.archive
            guard archive.slotBytes > 1 << 30 else { return nil }
            let names = archive.slots.joined(separator: ", ")
            return .fault(
                archive.slotBytes > 20 << 30 ? .problem : .warning,
                "\(names) keep \(Figures.bytes(archive.slotBytes)) of WAL",
                why: "No standby reads it, and it grows until the disk is full.",
                fix: "SELECT pg_drop_replication_slot('NAME');   -- unless the replica returns")
        })

    private static let lostSlots = Check(
        .settings, "lost slots",
        asks: { (facts, interview) throws(PostgresError) in
            let lost = """
                select slot_name::text from pg_replication_slots
                where slot_type = 'physical' and wal_status = 'lost' order by 1
                """
            guard !facts.isStandby, let rows = try interview.ask(lost) else { return }
            facts.archive.lostSlots = (0..<rows.count).map { rows.string($0, 0) }
        },
        judges: { database, _ in
            guard !database.archive.lostSlots.isEmpty else { return nil }
            return .warning(
                database.archive.lostSlots.joined(separator: ", "),
                why: "The WAL that their standbys need was removed, so they can't catch up. After "
                    + "an hour nothing is kept for them.",
                fix: "SELECT pg_drop_replication_slot('NAME');   -- then pg_basebackup with "
                    + "--create-slot; see max_slot_wal_keep_size")
        })
}

/// Settings that limit the rate of readings.
extension Check {
    static let speed = [
        setting(
            "shared_buffers", to: "1GB",
            atLeast: { facts in
                let memory = facts.isPrivate ? facts.machine.memoryBytes : nil
                return min((memory ?? 1 << 40) / 16, 128 << 20 + 1)
            }, shown: Figures.bytes,
            why: "The indexes of the current day do not fit, so each row reads and writes pages."),
        setting(
            "max_wal_size", to: "4GB", atLeast: { _ in 2 << 30 }, shown: Figures.bytes,
            why: "Under load checkpoints are frequent, and after each one whole pages are logged."),
        setting(
            "checkpoint_timeout", to: "15min", .notice, atLeast: { _ in 10 * 60 },
            shown: { Figures.seconds(Double($0)) },
            why: "More whole pages are written to the WAL, which slows down every commit."),
        setting(
            "checkpoint_completion_target", to: "0.9", isGood: { Double($0) ?? 1 >= 0.7 },
            why: "Checkpoints write in bursts, and commits wait for the disk meanwhile."),
        walCompression, connections, locks,
    ]

    /// A setting whose number must be larger.
    private static func setting(
        _ name: String, to value: String, _ severity: Severity = .warning,
        atLeast least: @escaping @Sendable (Facts) -> Int,
        shown: @escaping @Sendable (Int) -> String, why: String
    ) -> Check {
        Check(
            .settings, name,
            judges: { database, facts in
                guard let setting = database.settings[name], let number = setting.number else {
                    return nil
                }
                if number >= least(facts) { return .ok(shown(number)) }
                return .fault(
                    severity, shown(number), why: why,
                    fix: change(name, to: value, setting, facts))
            })
    }

    private static let walCompression = Check(
        .settings, "wal_compression",
        judges: { database, facts in
            guard let compression = database.settings["wal_compression"] else { return nil }
            if compression.value != "off" { return .ok(compression.value) }
            return .notice(
                "off", why: "The WAL takes about twice the space and twice the disk writes.",
                fix: change(
                    "wal_compression", to: database.version >= 150_000 ? "lz4" : "on",
                    compression, facts))
        })

    private static let connections = Check(
        .settings, "max_connections",
        judges: { database, facts in
            guard let setting = database.settings["max_connections"], let most = setting.number
            else { return nil }
            let reserved = database.settings["superuser_reserved_connections"]?.number ?? 3
            let needed = facts.demand.databaseConnections
            let text =
                "\(most), one server needs \(needed), \(database.connectionsInUse) are open"
            let wanted = (needed * 2 + reserved + 20) / 10 * 10
            if most - reserved < needed {
                return .problem(
                    text, why: "Lanes or jobs can't get connections, and batches are refused.",
                    fix: change("max_connections", to: "\(wanted)", setting, facts),
                    "or lower SLUICE_JOBS_CONCURRENCY and SLUICE_LANES")
            }
            if database.connectionsInUse + reserved > most / 10 * 9 {
                return .warning(
                    text,
                    why: "Nearly all are in use: another node, or a restarted one, may get none.",
                    fix: change("max_connections", to: "\(most * 2)", setting, facts))
            }
            return .ok(text)
        })

    /// All sessions share the room for locks of tables. A query over all days locks each partition
    /// and its index.
    private static let locks = Check(
        .settings, "max_locks_per_transaction", needsTables: true,
        asks: { (facts, interview) throws(PostgresError) in
            let parents = ReadingKind.allCases.map { "'sluice.\($0.name)'::regclass" }
            let partitions = """
                select count(*) from pg_inherits
                where inhparent in (\(parents.joined(separator: ", ")))
                """
            guard let rows = try interview.ask(partitions) else { return }
            facts.tables.partitions = Int(rows.int64(0, 0))
        },
        judges: { database, facts in
            let name = "max_locks_per_transaction"
            guard let setting = database.settings[name], let each = setting.number,
                let connections = database.settings["max_connections"]?.number,
                database.tables.partitions > 0
            else { return nil }
            let prepared = database.settings["max_prepared_transactions"]?.number ?? 0
            let holders = connections + prepared
            let taken = 2 * database.tables.partitions
            let text =
                "\(each): room for \(Figures.count(each * holders)) locks, a query over all days "
                + "takes \(Figures.count(taken))"
            let needed = taken * Analysts.connectionsMax
            if needed <= each * holders { return .ok(text) }
            return .warning(
                text,
                why: "As many queries as one analyst may run at once use up the room. Then no "
                    + "session can lock a table, not even to write a row (53200, out of shared "
                    + "memory): batches go to the spool.",
                fix: change(
                    name, to: "\((needed / max(1, holders) / 64 + 1) * 64)", setting, facts))
        })

    /// The command that changes a setting.
    private static func change(
        _ name: String, to value: String, _ setting: ServerSetting, _ facts: Facts
    ) -> String {
        let sql = "ALTER SYSTEM SET \(name) = '\(value)'"
        if facts.isPrivate {
            return setting.needsRestart
                ? "sluice psql -c \"\(sql)\"   # then restart sluice"
                : "sluice psql -c \"\(sql)\" -c \"SELECT pg_reload_conf()\""
        }
        return setting.needsRestart
            ? "\(sql);   -- then restart PostgreSQL" : "\(sql); SELECT pg_reload_conf();"
    }
}
