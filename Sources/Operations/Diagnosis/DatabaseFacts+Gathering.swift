import Glibc
public import Postgres
import Readings
import Schema

extension DatabaseFacts {
    /// Settings that the rules use.
    private static let settingNames = [
        "archive_mode", "autovacuum", "autovacuum_freeze_max_age", "checkpoint_completion_target",
        "checkpoint_timeout", "data_checksums", "fsync", "full_page_writes", "max_connections",
        "max_locks_per_transaction", "max_prepared_transactions", "max_wal_size", "shared_buffers",
        "superuser_reserved_connections", "synchronous_commit",
        "wal_compression", "wal_level",
    ]

    /// Queries the server; changes nothing. Values that this role may not read, or that this
    /// version does not have, are omitted.
    ///
    /// - Throws: if the connection is lost, or the server rejects even a basic query.
    public static func gather(
        on connection: Connection, daysAhead: Int
    ) throws(PostgresError) -> DatabaseFacts {
        var facts = DatabaseFacts(
            version: Int(connection.serverVersion), binaryVersion: Schema.migrations.count)
        facts.isPooled = connection.isPooled
        // A locked table must not block the examination.
        try connection.execute("set lock_timeout = '2s'; set statement_timeout = '20s'")
        try facts.askServer(connection)
        try facts.askClock(connection)
        try facts.askSettings(connection)
        try facts.askArchive(connection)
        try facts.askCitus(connection)
        guard facts.schemaVersion != nil else { return facts }
        try facts.askTables(connection, daysAhead)
        try facts.askWork(connection)
        try facts.askAnalysts(connection)
        try facts.askAlterations(connection)
        return facts
    }

    /// Runs a query that may be rejected: for a missing right or table, a lock, or a timeout.
    /// Returns nil then, and if there are no rows.
    func ask(
        _ sql: String, _ connection: Connection
    ) throws(PostgresError) -> Rows? {
        do throws(PostgresError) {
            let rows = try connection.query(sql)
            return rows.count > 0 ? rows : nil
        } catch {
            guard error.kind == .refused else { throw error }
            return nil
        }
    }

    private mutating func askServer(_ connection: Connection) throws(PostgresError) {
        let rows = try connection.query(
            """
            select current_database()::text, current_user::text, r.rolsuper,
                has_database_privilege(current_database(), 'CREATE'), r.rolcreaterole,
                pg_has_role('pg_monitor', 'MEMBER'),
                (select pg_has_role(n.nspowner, 'USAGE') from pg_namespace n
                 where n.nspname = 'sluice'),
                pg_is_in_recovery(),
                inet_server_addr() is not null and inet_server_addr() <> inet_client_addr(),
                coalesce((select s.ssl from pg_stat_ssl s where s.pid = pg_backend_pid()), false),
                (select count(*) from pg_stat_activity where backend_type = 'client backend'),
                exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace
                    where n.nspname = 'sluice' and c.relname = 'migration')
            from pg_roles r where r.rolname = current_user
            """)
        guard rows.count == 1 else { return }
        name = rows.string(0, 0)
        role = rows.string(0, 1)
        isSuperuser = rows.bool(0, 2)
        createsSchemas = rows.bool(0, 3)
        createsRoles = rows.bool(0, 4)
        monitors = rows.bool(0, 5)
        ownsSchema = rows.isNull(0, 6) ? nil : rows.bool(0, 6)
        isStandby = rows.bool(0, 7)
        isRemote = rows.bool(0, 8)
        isEncrypted = rows.bool(0, 9)
        connectionsInUse = Int(rows.int64(0, 10))
        if rows.bool(0, 11),
            let steps = try ask("select count(*) from sluice.migration", connection)
        {
            schemaVersion = Int(steps.int64(0, 0))
            toleratesSchema = (try? Migrator.demandCurrent(on: connection)) != nil
        }
    }

    /// The fastest of five queries gives the smallest error.
    private mutating func askClock(_ connection: Connection) throws(PostgresError) {
        func now() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_REALTIME, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
        var shortest = Double.infinity
        for _ in 1...5 {
            let before = now()
            let rows = try connection.query("select clock_timestamp()")
            let after = now()
            guard after - before < shortest, after >= before else { continue }
            shortest = after - before
            // Seconds from 1970 to 2000.
            let server = Double(rows.timestamp(0, 0)) / 1e6 + 946_684_800
            clockSkewSeconds = server - (before + after) / 2
            clockErrorSeconds = shortest / 2
        }
    }

    /// The values set for the server, database and role; our session has overruled some of them.
    private mutating func askSettings(_ connection: Connection) throws(PostgresError) {
        var parameters = Parameters()
        parameters.append(texts: Self.settingNames.map(Optional.some))
        let rows = try connection.query(
            """
            select name::text, reset_val, coalesce(unit, '')::text, context = 'postmaster'
            from pg_settings where name = any ($1)
            """, parameters)
        for row in 0..<rows.count where !rows.isNull(row, 1) {
            settings[rows.string(row, 0)] = ServerSetting(
                rows.string(row, 1), unit: rows.string(row, 2), needsRestart: rows.bool(row, 3))
        }
    }

    private mutating func askArchive(_ connection: Connection) throws(PostgresError) {
        // Without `pg_monitor`, all columns but the name are null.
        let following = """
            select application_name, coalesce(sync_state in ('sync', 'quorum'), false),
                (pg_current_wal_flush_lsn() - flush_lsn)::bigint
            from pg_stat_replication where state is distinct from 'backup' order by 1
            """
        if !isStandby, let rows = try ask(following, connection) {
            let isHidden = (0..<rows.count).contains { rows.isNull($0, 2) }
            archive.standbys =
                isHidden
                ? nil
                : (0..<rows.count).map {
                    StandbyFacts(
                        name: rows.string($0, 0), isSynchronous: rows.bool($0, 1),
                        bytesBehind: max(0, Int(rows.int64($0, 2))))
                }
        }
        let failing = """
            select failed_count > 0
                and (last_archived_time is null or last_failed_time > last_archived_time)
            from pg_stat_archiver
            """
        if let rows = try ask(failing, connection), !rows.isNull(0, 0) {
            archive.isFailing = rows.bool(0, 0)
        }
        guard !isStandby else { return }
        let slots = """
            select slot_name::text, pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::bigint
            from pg_replication_slots where not active and restart_lsn is not null order by 2 desc
            """
        if let rows = try ask(slots, connection) {
            for row in 0..<rows.count {
                archive.slots.append(rows.string(row, 0))
                archive.slotBytes += Int(rows.int64(row, 1))
            }
        }
        let lost = """
            select slot_name::text from pg_replication_slots
            where slot_type = 'physical' and wal_status = 'lost' order by 1
            """
        if let rows = try ask(lost, connection) {
            archive.lostSlots = (0..<rows.count).map { rows.string($0, 0) }
        }
    }

    private mutating func askTables(
        _ connection: Connection, _ daysAhead: Int
    ) throws(PostgresError) {
        let missing = """
            select count(distinct partition), min(day)::text
            from sluice.missing_days(current_date, current_date + \(daysAhead))
            """
        if let rows = try ask(missing, connection) {
            tables.missing = Int(rows.int64(0, 0))
            tables.firstMissingDay = rows.isNull(0, 1) ? nil : rows.string(0, 1)
        }
        let parents = ReadingKind.allCases.map { "'sluice.\($0.name)'::regclass" }
        let partitions = """
            select count(*) from pg_inherits where inhparent in (\(parents.joined(separator: ", ")))
            """
        if let rows = try ask(partitions, connection) { tables.partitions = Int(rows.int64(0, 0)) }
        let watermarks = ReadingKind.allCases.map { "\($0.name)_until" }
        let newest = """
            select extract(epoch from now() - max(greatest(\(watermarks.joined(separator: ", ")))))
                ::bigint from sluice.device_state
            """
        if let rows = try ask(newest, connection), !rows.isNull(0, 0) {
            tables.quietSeconds = Int(rows.int64(0, 0))
        }
        let switchedOff = """
            select format('%I.%I', n.nspname, c.relname)
            from pg_class c join pg_namespace n on n.oid = c.relnamespace
            where n.nspname in ('sluice', 'sluice_partitions') and c.relkind = 'r'
                and exists (select from unnest(c.reloptions) o
                    where o ~ '^autovacuum_enabled=(off|false|no|0|f)$')
            order by 1
            """
        if let rows = try ask(switchedOff, connection) {
            tables.withoutAutovacuum = (0..<rows.count).map { rows.string($0, 0) }
        }
        // A partition's name ends with its first day.
        let unvacuumed = """
            select count(*) from pg_stat_user_tables
            where schemaname = 'sluice_partitions' and n_ins_since_vacuum > 1000000
                and last_vacuum is null and last_autovacuum is null
                and right(relname, 8) ~ '^\\d{8}$'
                and right(relname, 8)
                    < to_char(current_date - 1 - sluice.partition_days(), 'YYYYMMDD')
            """
        if let rows = try ask(unvacuumed, connection) {
            tables.daysUnvacuumed = Int(rows.int64(0, 0))
        }
        if let rows = try ask(
            "select age(datfrozenxid)::bigint from pg_database where datname = current_database()",
            connection)
        {
            tables.oldestFrozenAge = Int(rows.int64(0, 0))
        }
        let transactions = """
            select extract(epoch from now() - min(a.xact_start))::bigint
            from pg_stat_activity a where datname = current_database() and pid <> pg_backend_pid()
                and backend_type = 'client backend'
                -- The turn of the archive has no snapshot.
                and not exists (select from pg_locks l where l.pid = a.pid
                    and l.relation = to_regclass('sluice.archive_turn'))
            """
        if let rows = try ask(transactions, connection), !rows.isNull(0, 0) {
            tables.oldestTransactionSeconds = Int(rows.int64(0, 0))
        }
        let prepared =
            "select count(*) from pg_prepared_xacts where prepared < now() - interval '5 min'"
        if let rows = try ask(prepared, connection) {
            tables.preparedForgotten = Int(rows.int64(0, 0))
        }
        try askIdleHolders(connection)
    }

    /// Locks that only reading takes disturb nobody.
    private mutating func askIdleHolders(_ connection: Connection) throws(PostgresError) {
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
        guard let rows = try ask(holders, connection) else { return }
        tables.idleHolders = (0..<rows.count).map {
            IdleHolder(
                pid: Int(rows.int32($0, 0)), role: rows.isNull($0, 1) ? "?" : rows.string($0, 1),
                idleSeconds: Int(rows.int64($0, 2)))
        }
    }

    private mutating func askWork(_ connection: Connection) throws(PostgresError) {
        let jobs = """
            select count(*) filter (where dead_at is not null),
                count(*) filter (where due_at <= now() and dead_at is null and lease is null),
                coalesce(extract(epoch from now() - min(due_at)
                    filter (where due_at <= now() and dead_at is null)), 0)::bigint
            from sluice.job
            """
        if let rows = try ask(jobs, connection) {
            work.jobsDead = Int(rows.int64(0, 0))
            work.jobsDue = Int(rows.int64(0, 1))
            work.jobsDueSeconds = Int(rows.int64(0, 2))
        }
        let failing = """
            select distinct on (pass) pass, count(*) over (partition by pass), item, attempts,
                left(last_error, 120)
            from sluice.failing_now order by pass, attempts desc, item
            """
        if let rows = try ask(failing, connection) {
            work.failing = (0..<rows.count).map { row in
                WorkFacts.FailingPass(
                    pass: rows.string(row, 0), count: Int(rows.int64(row, 1)),
                    item: rows.string(row, 2), attempts: Int(rows.int32(row, 3)),
                    error: rows.string(row, 4))
            }
        }
        let dead = """
            select kind || ': ' || left(coalesce(last_error, 'no error'), 80) from sluice.job
            where dead_at is not null group by 1 order by count(*) desc limit 1
            """
        if let rows = try ask(dead, connection) { work.jobsDeadMostly = rows.string(0, 0) }
        let quarantine = """
            select count(*), count(*) filter (where received_at > now() - interval '1 day'),
                mode() within group (order by reason)
                    filter (where received_at > now() - interval '1 day')
            from sluice.quarantine
            """
        if let rows = try ask(quarantine, connection) {
            work.quarantined = Int(rows.int64(0, 0))
            work.quarantinedLastDay = Int(rows.int64(0, 1))
            work.quarantinedMostly = rows.isNull(0, 2) ? nil : rows.string(0, 2)
        }
        let readings = "select coalesce(sum(readings), 0)::bigint from sluice.device_state"
        if let rows = try ask(readings, connection) { work.readings = Int(rows.int64(0, 0)) }
        if let rows = try ask("select count(*) from sluice.unit_set_aside", connection) {
            work.unitsSetAside = Int(rows.int64(0, 0))
        }
        let unsummed = """
            select count(distinct device_key), min(hour at time zone 'UTC')::date::text,
                max(hour at time zone 'UTC')::date::text
            from sluice.rollup_due where failures > 0
            """
        if let rows = try ask(unsummed, connection), rows.int64(0, 0) > 0 {
            work.devicesUnsummed = Int(rows.int64(0, 0))
            work.daysUnsummed = (rows.string(0, 1), rows.string(0, 2))
        }
        let mostly = """
            select format('%s (hours: %s, SQLSTATE %s)', d.device_id, count(*), max(r.failure))
            from sluice.rollup_due r join sluice.device d using (device_key)
            where r.failures > 0 group by d.device_id order by count(*) desc, 1 limit 3
            """
        if let rows = try ask(mostly, connection) {
            work.devicesUnsummedMostly = (0..<rows.count).map { rows.string($0, 0) }
        }
        let keys = """
            select name, coalesce(expires_at < now() + interval '7 days', false),
                scopes && '{captures,meals,media}'
            from sluice.api_key
            where revoked_at is null and (expires_at is null or expires_at > now()) order by expires_at
            """
        if let rows = try ask(keys, connection) {
            work.keysInForce = rows.count
            work.hasApplicationKeys = (0..<rows.count).contains { rows.bool($0, 2) }
            work.keysRunningOut = (0..<rows.count).filter { rows.bool($0, 1) }
                .map { rows.string($0, 0) }
        }
    }
}
