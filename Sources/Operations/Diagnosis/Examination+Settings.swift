import Analytics

extension Examination {
    /// Settings on which the durability of acknowledged data depends.
    static func safety(_ database: DatabaseFacts, _ facts: Facts) -> [Finding] {
        var findings: [Finding] = []
        func demand(
            _ name: String, _ isGood: (String) -> Bool, _ severity: Severity, to value: String,
            why: String
        ) {
            guard let setting = database.settings[name] else { return }
            if isGood(setting.value) {
                findings.append(.ok(.settings, name, setting.value))
            } else {
                findings.append(
                    .not(
                        severity, .settings, name, setting.value, why: why,
                        fix: change(name, to: value, setting, facts)))
            }
        }
        demand(
            "fsync", { $0 == "on" }, .problem, to: "on",
            why: "If the machine crashes, acknowledged readings are lost and tables may be "
                + "damaged beyond repair.")
        demand(
            "full_page_writes", { $0 == "on" }, .problem, to: "on",
            why: "A page that was being written when the machine crashed stays torn.")
        demand(
            "synchronous_commit", { $0 != "off" && $0 != "local" }, .warning, to: "on",
            why: "Sluice overrules it in its own sessions, but other programs lose their last "
                + "commits in a crash or a failover.")
        if let checksums = database.settings["data_checksums"] {
            findings.append(
                checksums.value == "on"
                    ? .ok(.settings, "data_checksums", "on")
                    : .not(
                        .notice, .settings, "data_checksums", "off",
                        why: "Data that a faulty disk changes is not detected.",
                        fix: "stop the server, then: pg_checksums --enable -D DATA_DIRECTORY"))
        }
        findings += standbys(database)
        findings += archiving(database, facts)
        return findings
    }

    /// What a failover would lose now.
    private static func standbys(_ database: DatabaseFacts) -> [Finding] {
        let id = "standbys"
        guard let standbys = database.archive.standbys else {
            return [
                .not(
                    .notice, .settings, id, "\(database.role) may not see them",
                    why: "Whether commits wait for a standby decides what a failover loses.",
                    fix: "GRANT pg_monitor TO \(database.role);")
            ]
        }
        guard !standbys.isEmpty else { return [] }
        let behind = standbys.map { "\($0.name) \(Figures.bytes($0.bytesBehind)) behind" }
            .joined(separator: ", ")
        if standbys.contains(where: \.isSynchronous) {
            return [.ok(.settings, id, "commits wait for them: \(behind)")]
        }
        return [
            .not(
                .notice, .settings, id, "commits do not wait for them: \(behind)",
                why:
                    "A 200 means that the primary has the data. After a failover the server restores "
                    + "what the standby lacks from its memory, up to SLUICE_TAIL_BYTES_MAX, "
                    + "unless it was restarted.",
                fix: "ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (*)';   -- with two "
                    + "standbys; with one, writes stop when it does")
        ]
    }

    private static func archiving(_ database: DatabaseFacts, _ facts: Facts) -> [Finding] {
        var findings: [Finding] = []
        let isArchiving = (database.settings["archive_mode"]?.value ?? "off") != "off"
        if let level = database.settings["wal_level"], level.value == "minimal" {
            findings.append(
                .not(
                    isArchiving ? .problem : .notice, .settings, "wal_level", level.value,
                    why: "Neither a backup of the running server nor a replica is possible.",
                    fix: change("wal_level", to: "replica", level, facts)))
        }
        if database.archive.isFailing {
            findings.append(
                .not(
                    .problem, .settings, "archiving", "the last attempt failed",
                    why: "WAL accumulates until the disk is full, and a backup can't be recovered "
                        + "beyond the last archived segment.",
                    fix: "SELECT * FROM pg_stat_archiver;   -- then correct archive_command"))
        }
        if database.archive.slotBytes > 1 << 30 {
            let names = database.archive.slots.joined(separator: ", ")
            findings.append(
                .not(
                    database.archive.slotBytes > 20 << 30 ? .problem : .warning, .settings,
                    "replication slots",
                    "\(names) keep \(Figures.bytes(database.archive.slotBytes)) of WAL",
                    why: "No standby reads it, and it grows until the disk is full.",
                    fix: "SELECT pg_drop_replication_slot('NAME');   -- unless the replica returns")
            )
        }
        if !database.archive.lostSlots.isEmpty {
            findings.append(
                .not(
                    .warning, .settings, "lost slots",
                    database.archive.lostSlots.joined(separator: ", "),
                    why:
                        "The WAL that their standbys need was removed, so they can't catch up. After "
                        + "an hour nothing is kept for them.",
                    fix: "SELECT pg_drop_replication_slot('NAME');   -- then pg_basebackup with "
                        + "--create-slot; see max_slot_wal_keep_size"))
        }
        return findings
    }

    /// Settings that limit the rate of readings.
    static func speed(_ database: DatabaseFacts, _ facts: Facts) -> [Finding] {
        var findings: [Finding] = []
        func demand(
            _ name: String, atLeast least: Int, shown: (Int) -> String, to value: String,
            _ severity: Severity = .warning, why: String
        ) {
            guard let setting = database.settings[name], let number = setting.number else { return }
            if number >= least {
                findings.append(.ok(.settings, name, shown(number)))
            } else {
                findings.append(
                    .not(
                        severity, .settings, name, shown(number), why: why,
                        fix: change(name, to: value, setting, facts)))
            }
        }
        let memory = facts.isPrivate ? facts.machine.memoryBytes : nil
        demand(
            "shared_buffers", atLeast: min((memory ?? 1 << 40) / 16, 128 << 20 + 1),
            shown: Figures.bytes, to: "1GB",
            why: "The indexes of the current day do not fit, so each row reads and writes pages.")
        demand(
            "max_wal_size", atLeast: 2 << 30, shown: Figures.bytes, to: "4GB",
            why: "Under load checkpoints are frequent, and after each one whole pages are logged.")
        demand(
            "checkpoint_timeout", atLeast: 10 * 60, shown: { Figures.seconds(Double($0)) },
            to: "15min", .notice,
            why: "More whole pages are written to the WAL, which slows down every commit.")
        if let target = database.settings["checkpoint_completion_target"],
            let share = Double(target.value)
        {
            findings.append(
                share >= 0.7
                    ? .ok(.settings, "checkpoint_completion_target", target.value)
                    : .not(
                        .warning, .settings, "checkpoint_completion_target", target.value,
                        why:
                            "Checkpoints write in bursts, and commits wait for the disk meanwhile.",
                        fix: change("checkpoint_completion_target", to: "0.9", target, facts)))
        }
        if let compression = database.settings["wal_compression"] {
            findings.append(
                compression.value != "off"
                    ? .ok(.settings, "wal_compression", compression.value)
                    : .not(
                        .notice, .settings, "wal_compression", "off",
                        why: "The WAL takes about twice the space and twice the disk writes.",
                        fix: change(
                            "wal_compression", to: database.version >= 150_000 ? "lz4" : "on",
                            compression, facts)))
        }
        findings += connections(database, facts) + [locks(database, facts)].compactMap { $0 }
        return findings
    }

    /// All sessions share the room for locks of tables. A query over all days locks each partition
    /// and its index.
    private static func locks(_ database: DatabaseFacts, _ facts: Facts) -> Finding? {
        let name = "max_locks_per_transaction"
        guard let setting = database.settings[name], let each = setting.number,
            let connections = database.settings["max_connections"]?.number,
            database.tables.partitions > 0
        else { return nil }
        let holders = connections + (database.settings["max_prepared_transactions"]?.number ?? 0)
        let taken = 2 * database.tables.partitions
        let text =
            "\(each): room for \(Figures.count(each * holders)) locks, a query over all days takes "
            + Figures.count(taken)
        let needed = taken * Analysts.connectionsMax
        if needed <= each * holders { return .ok(.settings, name, text) }
        return .not(
            .warning, .settings, name, text,
            why: "As many queries as one analyst may run at once use up the room. Then no session "
                + "can lock a table, not even to write a row (53200, out of shared memory): batches "
                + "go to the spool.",
            fix: change(name, to: "\((needed / max(1, holders) / 64 + 1) * 64)", setting, facts))
    }

    private static func connections(_ database: DatabaseFacts, _ facts: Facts) -> [Finding] {
        guard let setting = database.settings["max_connections"], let most = setting.number else {
            return []
        }
        let reserved = database.settings["superuser_reserved_connections"]?.number ?? 3
        let needed = facts.demand.databaseConnections
        let text = "\(most), one server needs \(needed), \(database.connectionsInUse) are open"
        let wanted = (needed * 2 + reserved + 20) / 10 * 10
        if most - reserved < needed {
            return [
                .not(
                    .problem, .settings, "max_connections", text,
                    why: "Lanes or jobs can't get connections, and batches are refused.",
                    fix: change("max_connections", to: "\(wanted)", setting, facts),
                    "or lower SLUICE_JOBS_CONCURRENCY and SLUICE_LANES")
            ]
        }
        if database.connectionsInUse + reserved > most / 10 * 9 {
            return [
                .not(
                    .warning, .settings, "max_connections", text,
                    why: "Nearly all are in use: another node, or a restarted one, may get none.",
                    fix: change("max_connections", to: "\(most * 2)", setting, facts))
            ]
        }
        return [.ok(.settings, "max_connections", text)]
    }

    /// The command that changes a setting.
    static func change(
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
