import Postgres
import Readings

/// Partitions, and whether vacuum keeps up.
extension Check {
    static let tables = [
        daysAhead, autovacuum, sealedDays, vacuum, statistics, oldestRow, oldestTransaction,
        forgottenLocks, preparedTransactions,
    ]

    private static let daysAhead = Check(
        .tables, "days ahead", needsTables: true,
        asks: { (facts, interview) throws(PostgresError) in
            let missing = """
                select count(distinct partition), min(day)::text
                from sluice.missing_days(current_date, current_date + \(interview.daysAhead))
                """
            guard let rows = try interview.ask(missing) else { return }
            facts.tables.missing = Int(rows.int64(0, 0))
            facts.tables.firstMissingDay = rows.isNull(0, 1) ? nil : rows.string(0, 1)
        },
        judges: { database, _ in
            guard let missing = database.tables.missing else { return nil }
            if missing == 0 { return .ok("all exist") }
            let first = database.tables.firstMissingDay ?? "?"
            return .warning(
                "\(missing) partitions are missing, from \(first) on",
                why: "The first batch of such a day waits until they are created. A "
                    + "running server creates them every hour: none runs, or it lacks the right.",
                fix: "SELECT sluice.ensure_days(current_date, current_date + 7);")
        })

    private static let autovacuum = Check(
        .tables, "autovacuum", needsTables: true,
        asks: { (facts, interview) throws(PostgresError) in
            let switchedOff = """
                select format('%I.%I', n.nspname, c.relname)
                from pg_class c join pg_namespace n on n.oid = c.relnamespace
                where n.nspname in ('sluice', 'sluice_partitions') and c.relkind = 'r'
                    and exists (select from unnest(c.reloptions) o
                        where o ~ '^autovacuum_enabled=(off|false|no|0|f)$')
                order by 1
                """
            guard let rows = try interview.ask(switchedOff) else { return }
            facts.tables.withoutAutovacuum = (0..<rows.count).map { rows.string($0, 0) }
        },
        judges: { database, _ in
            if database.settings["autovacuum"]?.value == "off" {
                return .problem(
                    "off",
                    why: "Dead rows are never removed, and in the end PostgreSQL stops accepting "
                        + "writes.",
                    fix: "ALTER SYSTEM SET autovacuum = on; SELECT pg_reload_conf();")
            }
            let tables = database.tables.withoutAutovacuum
            guard let first = tables.first else { return .ok("on for all tables") }
            return .warning(
                "off for \(some(tables))",
                why: "Insert-only days need it too, for freezing and for index-only scans.",
                fix: "ALTER TABLE \(first) RESET (autovacuum_enabled);")
        })

    private static let sealedDays = Check(
        .tables, "sealed days", needsTables: true,
        asks: { (facts, interview) throws(PostgresError) in
            let sealed = """
                select count(*) from sluice.sealed_day where state in ('sealed', 'unsealing')
                """
            guard let rows = try interview.ask(sealed), rows.int64(0, 0) > 0 else { return }
            facts.tables.sealedDays = Int(rows.int64(0, 0))
            do throws(PostgresError) {
                if try !interview.connection.query("select sluice.has_loop()").bool(0, 0) {
                    facts.tables.loopFault = "sluice_loop leads to another database"
                }
            } catch {
                guard error.kind == .refused else { throw error }
                facts.tables.loopFault = "\(error)"
            }
        },
        judges: { database, facts in
            if let fault = database.tables.loopFault {
                return .problem(
                    "they can't be queried: \(fault)",
                    why: "Sealed days are read through a connection of the database to itself. "
                        + "Batches are stored, but queries that need such a day fail.",
                    fix: "SELECT sluice.make_loop();   -- as a superuser; a server does it, too")
            }
            let (count, after) = (database.tables.sealedDays, facts.retention.sealAfterDays)
            guard count > 0 || after > 0 else { return nil }
            return .ok(
                "\(count) partitions are sealed"
                    + (after > 0 ? "; days are sealed \(after) days after their end" : ""))
        })

    private static let vacuum = Check(
        .tables, "vacuum", needsTables: true,
        asks: { (facts, interview) throws(PostgresError) in
            // A partition's name ends with its first day.
            let unvacuumed = """
                select count(*) from pg_stat_user_tables
                where schemaname = 'sluice_partitions' and n_ins_since_vacuum > 1000000
                    and last_vacuum is null and last_autovacuum is null
                    and right(relname, 8) ~ '^\\d{8}$'
                    and right(relname, 8)
                        < to_char(current_date - 1 - sluice.partition_days(), 'YYYYMMDD')
                """
            guard let rows = try interview.ask(unvacuumed) else { return }
            facts.tables.daysUnvacuumed = Int(rows.int64(0, 0))
        },
        judges: { database, _ in
            guard database.tables.daysUnvacuumed > 0 else { return nil }
            return .notice(
                "\(database.tables.daysUnvacuumed) partitions of past days were not vacuumed yet",
                why: "Vacuum is behind. Reading these days is slower, and they will be frozen "
                    + "later, all at once.",
                fix: "ALTER SYSTEM SET autovacuum_vacuum_cost_limit = 2000; "
                    + "SELECT pg_reload_conf();")
        })

    private static let statistics = Check(
        .tables, "planner statistics", needsTables: true,
        asks: { (facts, interview) throws(PostgresError) in
            do throws(PostgresError) {
                facts.tables.statistics = try PlannerStatistics.tables(on: interview.connection)
            } catch {
                guard error.kind == .refused else { throw error }
            }
        },
        judges: { database, _ in
            let neglected = database.tables.statistics.filter(\.isNeglected)
            guard !neglected.isEmpty else { return .ok("up to date") }
            let names = neglected.map(\.name).joined(separator: ", ")
            let isMissing = neglected.contains { $0.analyzedRows == nil }
            return .warning(
                "\(isMissing ? "missing" : "outdated") for \(names)",
                why: "Queries by minute can take fifty times as long. Autovacuum analyses only "
                    + "partitions. A running server analyses their tables within minutes and every "
                    + "night: none runs, or its role does not own them.",
                fix: database.tables.sealedDays > 0
                    ? "sluice serve   # ANALYZE by name would read every sealed day"
                    : "sluice psql -c \"ANALYZE \(names)\"")
        })

    /// From this age of the oldest row on, freezing is urgent. PostgreSQL itself warns only 40
    /// million transactions before the limit, which is at about two thousand million.
    private static let frozenAgeProblem = 1_000_000_000

    private static let oldestRow = Check(
        .tables, "oldest row", needsTables: true,
        asks: { (facts, interview) throws(PostgresError) in
            let age = """
                select age(datfrozenxid)::bigint from pg_database where datname = current_database()
                """
            guard let rows = try interview.ask(age) else { return }
            facts.tables.oldestFrozenAge = Int(rows.int64(0, 0))
        },
        judges: { database, _ in
            let age = database.tables.oldestFrozenAge
            let text = "\(Figures.count(age)) transactions"
            let most = database.settings["autovacuum_freeze_max_age"]?.number ?? 200_000_000
            let fix = "VACUUM (FREEZE, VERBOSE);   -- in this database, as its owner"
            if age > frozenAgeProblem {
                return .problem(
                    text, why: "At about 2 000 000 000 PostgreSQL stops accepting writes.",
                    fix: fix)
            }
            if age > most + most / 10 {
                return .warning(
                    text,
                    why: "Autovacuum should have frozen it at \(Figures.count(most)); something "
                        + "holds it back.", fix: fix)
            }
            return .ok(text)
        })

    private static let oldestTransaction = Check(
        .tables, "oldest transaction", needsTables: true,
        asks: { (facts, interview) throws(PostgresError) in
            let transactions = """
                select extract(epoch from now() - min(a.xact_start))::bigint
                from pg_stat_activity a
                where datname = current_database() and pid <> pg_backend_pid()
                    and backend_type = 'client backend'
                    -- The turn of the archive has no snapshot.
                    and not exists (select from pg_locks l where l.pid = a.pid
                        and l.relation = to_regclass('sluice.archive_turn'))
                """
            guard let rows = try interview.ask(transactions), !rows.isNull(0, 0) else { return }
            facts.tables.oldestTransactionSeconds = Int(rows.int64(0, 0))
        },
        judges: { database, _ in
            guard let seconds = database.tables.oldestTransactionSeconds, seconds > 3600 else {
                return nil
            }
            return .warning(
                "open for \(Figures.seconds(Double(seconds)))",
                why: "Vacuum can't remove rows that it might still see, so tables grow.",
                fix: "SELECT pid, usename, state, query FROM pg_stat_activity ORDER BY "
                    + "xact_start LIMIT 3;   -- then pg_terminate_backend(pid)")
        })

    /// Locks that only reading takes disturb nobody.
    private static let forgottenLocks = Check(
        .tables, "forgotten locks", needsTables: true,
        asks: { (facts, interview) throws(PostgresError) in
            let holders = """
                select a.pid, a.usename::text, extract(epoch from now() - a.state_change)::bigint
                from pg_stat_activity a
                where a.datname = current_database() and a.pid <> pg_backend_pid()
                    and a.state like 'idle in transaction%'
                    and a.state_change < now() - interval '10 s'
                    and exists (select from pg_locks l
                        join pg_class c on c.oid = l.relation
                        join pg_namespace n on n.oid = c.relnamespace
                        where l.pid = a.pid and l.mode <> 'AccessShareLock'
                            and n.nspname in ('sluice', 'sluice_partitions'))
                order by a.state_change limit 3
                """
            guard let rows = try interview.ask(holders) else { return }
            facts.tables.idleHolders = (0..<rows.count).map {
                IdleHolder(
                    pid: Int(rows.int32($0, 0)),
                    role: rows.isNull($0, 1) ? "?" : rows.string($0, 1),
                    idleSeconds: Int(rows.int64($0, 2)))
            }
        },
        judges: { database, _ in
            guard let holder = database.tables.idleHolders.first else { return nil }
            let others = database.tables.idleHolders.count - 1
            return .warning(
                "session \(holder.pid) of \(holder.role) has held locks on the tables for "
                    + Figures.seconds(Double(holder.idleSeconds)) + " and does nothing"
                    + (others > 0 ? ", \(others) more" : ""),
                why: "Batches of the devices whose rows it has locked wait in the spool, and all "
                    + "batches do while it has locked a table.",
                fix: "SELECT pg_terminate_backend(\(holder.pid));")
        })

    /// On Citus, ``citus`` has a check of all nodes.
    private static let preparedTransactions = Check(
        .tables, "prepared transactions", needsTables: true,
        asks: { (facts, interview) throws(PostgresError) in
            let prepared = """
                select count(*) from pg_prepared_xacts where prepared < now() - interval '5 min'
                """
            guard let rows = try interview.ask(prepared) else { return }
            facts.tables.preparedForgotten = Int(rows.int64(0, 0))
        },
        judges: { database, _ in
            guard database.tables.preparedForgotten > 0, database.citus == nil else { return nil }
            return .warning(
                "\(database.tables.preparedForgotten) older than 5 min",
                why: "They keep their locks and hold back vacuum until they are ended.",
                fix: "SELECT gid, prepared FROM pg_prepared_xacts;   -- then ROLLBACK PREPARED")
        })

    /// The first three, and the number of the others.
    static func some(_ names: [String]) -> String {
        let more = names.count - 3
        return names.prefix(3).joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
    }
}

/// Days that leave the tables.
extension Check {
    static let retention = Check(.tables, "retention") { facts in
        let retention = facts.retention
        guard retention.days > 0 else { return [.ok("readings are kept")] }
        let after = "after \(retention.days) days"
        switch retention.destination {
        case .directory(let path, isThere: true): return [.ok("archived \(after) to \(path)")]
        case .directory(let path, isThere: false):
            return [
                .problem(
                    "\(path) does not exist",
                    why: "Days stay in the tables until it exists. Sluice does not create it: if "
                        + "the disk is not mounted, files would go to the wrong one.",
                    fix: "mount it, or: mkdir -m 700 \(path)   # owned by the user of sluice")
            ]
        case .bucket(let location, fault: nil): return [.ok("archived \(after) to \(location)")]
        case .bucket(_, fault: let fault?):
            return [
                .problem(
                    fault, why: "Days stay in the tables until the bucket can be used.",
                    fix:
                        "correct SLUICE_ARCHIVE_DIRECTORY or SLUICE_AWS_ACCESS_KEY_ID; the keys must "
                        + "be allowed to list, read, write and delete")
            ]
        case .nowhere:
            return [
                .notice(
                    "dropped \(after)",
                    why: "SLUICE_ARCHIVE_DIRECTORY is none: dropped days are not archived, and "
                        + "can't be restored.",
                    fix: "SLUICE_ARCHIVE_DIRECTORY=…   # a directory or bucket, to archive them")
            ]
        }
    }

    static let retentionClock = Check(
        .tables, "retention, clock", needsTables: true,
        asks: { (facts, interview) throws(PostgresError) in
            let watermarks = ReadingKind.allCases.map { "\($0.name)_until" }
            let newest = """
                select extract(epoch from now() - max(greatest(\(watermarks.joined(separator: ", ")))))
                    ::bigint from sluice.device_state
                """
            guard let rows = try interview.ask(newest), !rows.isNull(0, 0) else { return }
            facts.tables.quietSeconds = Int(rows.int64(0, 0))
        },
        judges: { database, facts in
            guard facts.retention.days > 0, let quiet = database.tables.quietSeconds,
                quiet > facts.retention.quietDaysMax * 86_400
            else { return nil }
            return .warning(
                "the newest reading is \(Figures.seconds(Double(quiet))) old",
                why: "Days leave the tables only while readings arrive, because with a clock far "
                    + "ahead every day would look old. So the last days stay.",
                fix: "date; sluice psql -c 'select now()'   # and if both are right:",
                "sluice archive run --trust-clock")
        })
}
