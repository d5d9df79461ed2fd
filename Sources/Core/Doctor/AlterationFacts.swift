import Postgres
import Readings

/// What others than Sluice have made of its tables. Nobody is told by an error that readings are
/// lost or stored twice because of it.
public struct AlterationFacts: Sendable, Equatable {
    /// Tables of days that are no partitions, and partitions whose detachment is incomplete.
    public var detached: [String] = []
    /// Partitions that `sluice.ensure_days` does not make, with their bounds.
    public var oddPartitions: [String] = []
    /// Tables that are unlogged or on another server.
    public var notDurable: [String] = []
    /// Triggers that run before a row is written, and so can change it or drop it.
    public var rowTriggers: [String] = []
    /// Other triggers, and rules.
    public var otherTriggers: [String] = []
    /// Tables whose row security applies to this role.
    public var rowSecurity: [String] = []
    /// Columns that have no default and must not be null, but that Sluice doesn't fill.
    public var unfilledColumns: [String] = []
    /// Constraints and unique indexes.
    public var constraints: [String] = []
    /// Devices with stored readings that are newer than their watermark, among a sample of the
    /// rows of recent days.
    public var staleDevices = 0
    /// Checks without an answer: a missing right, a lock, or too little time.
    public var unanswered: [String] = []

    /// Nothing was altered.
    public init() {}
}

extension DatabaseFacts {
    /// The limit of one query.
    private static let queryMax: Duration = .seconds(5)
    /// No further query is begun after this time.
    private static let allMax: Duration = .seconds(20)
    /// About so many pages of each partition are sampled.
    private static let sampledBytes = 64 * 8192
    /// The newest partitions of each table that are sampled.
    private static let sampledPartitions = 3

    /// Looks at the catalogue, and at a bounded sample of rows.
    mutating func askAlterations(_ connection: Connection) throws(PostgresError) {
        try connection.execute(
            """
            set statement_timeout = '\(Self.queryMax.components.seconds)s';
            set datestyle = 'ISO, YMD'; set timezone = 'UTC'; set search_path = pg_catalog
            """)
        let end = ContinuousClock.now + Self.allMax
        var found = AlterationFacts()
        func rows(_ check: String, _ sql: String) throws(PostgresError) -> Rows? {
            if found.unanswered.contains(check) { return nil }
            do throws(PostgresError) {
                if ContinuousClock.now < end { return try connection.query(sql) }
            } catch {
                guard error.kind == .refused else { throw error }
            }
            found.unanswered.append(check)
            return nil
        }
        func names(_ check: String, _ sql: String) throws(PostgresError) -> [String] {
            guard let rows = try rows(check, sql) else { return [] }
            return (0..<rows.count).map { rows.string($0, 0) }
        }
        found.detached = try names("detached partitions", Self.detached)
        found.oddPartitions = try names("partitions", Self.oddPartitions)
        found.notDurable = try names("durability", Self.notDurable)
        found.rowTriggers = try names("triggers", Self.triggers(beforeRows: true))
        found.otherTriggers = try names(
            "triggers", "\(Self.triggers(beforeRows: false)) union all \(Self.rules)")
        found.rowSecurity = try names("row security", Self.rowSecurity)
        found.unfilledColumns = try names("columns", Self.unfilledColumns)
        found.constraints = try names("constraints", Self.constraints)
        // The partitions of a coordinator are empty; their rows are on the nodes.
        var stale: Set<Int64> = []
        for kind in ReadingKind.allCases where citus == nil {
            guard let recent = try rows("watermarks", Self.recent(kind.name)) else { break }
            for row in 0..<recent.count {
                let share = min(100, 100 * Double(Self.sampledBytes) / Double(recent.int64(row, 1)))
                let sample = Self.sample(kind.name, recent.string(row, 0), percent: share)
                guard let keys = try rows("watermarks", sample) else { break }
                stale.formUnion((0..<keys.count).map { keys.int64($0, 0) })
            }
        }
        found.staleDevices = stale.count
        alterations = found
        try connection.execute("set statement_timeout = '20s'; reset search_path")
    }

    // MARK: Queries

    private static let dayTables = DayTable.allCases.map { "'\($0.name)'" }.joined(separator: ", ")

    /// The partitions that the archive is moving have names of its own.
    private static let isLeaving = """
        exists (select from sluice.archive a where a.state in ('leaving', 'detached')
            and sluice.leaving_name(a.kind, a.day, a.part) = c.relname)
        """

    private static let detached = """
        select format('%I.%I', n.nspname, c.relname)
        from pg_class c join pg_namespace n on n.oid = c.relnamespace
        left join pg_inherits i on i.inhrelid = c.oid
        where c.relkind in ('r', 'p', 'f') and (i.inhdetachpending or i.inhrelid is null)
            and (n.nspname = 'sluice_partitions'
                or c.relname ~ '^(\(DayTable.allCases.map(\.name).joined(separator: "|")))_[0-9]{8}$'
                and exists (select from pg_attribute a where a.attrelid = c.oid
                    and a.attname = 'device_key'))
            and not \(isLeaving)
            and coalesce(obj_description(c.oid, 'pg_class'), '') not like '\(DayTable.copyMark)%'
        order by 1
        """

    /// Name, place and bounds are those that `sluice.ensure_days` gives.
    private static let oddPartitions = """
        select format('%I.%I of %s: %s', n.nspname, c.relname, p.relname,
            pg_get_expr(c.relpartbound, c.oid))
        from pg_inherits i
        join pg_class p on p.oid = i.inhparent
        join pg_class c on c.oid = i.inhrelid
        join pg_namespace n on n.oid = c.relnamespace
        cross join lateral (
            select regexp_match(pg_get_expr(c.relpartbound, c.oid), '^FOR VALUES FROM '
                || '\\(''([0-9-]{10}) 00:00:00\\+00''\\) TO \\(''([0-9-]{10}) 00:00:00\\+00''\\)$') as days
            offset 0
        ) b
        where p.relnamespace = 'sluice'::regnamespace and p.relname in (\(dayTables))
            and not i.inhdetachpending
            and (c.relkind not in ('r', 'f') or n.nspname <> 'sluice_partitions' or b.days is null
                or b.days[2]::date - b.days[1]::date <> sluice.partition_days()
                or c.relname <> p.relname || '_' || replace(b.days[1], '-', '')
                    and not \(isLeaving))
        order by 1
        """

    private static let notDurable = """
        select format('%I.%I', n.nspname, c.relname)
        from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname in ('sluice', 'sluice_partitions')
            and (c.relkind in ('r', 'p') and c.relpersistence = 'u' or c.relkind = 'f' and not exists (
                select from sluice.sealed_day s where s.state in ('sealed', 'unsealing')
                    and c.relname = s.kind || to_char(s.day, '"_"YYYYMMDD')))
        order by 1
        """

    /// Triggers of partitions that come from their table are not named again. `R` runs on
    /// subscribers only; those of Citus are named `truncate_trigger_…`.
    private static func triggers(beforeRows: Bool) -> String {
        """
        select format('%I on %s', t.tgname, t.tgrelid::regclass)
        from pg_trigger t
        join pg_class c on c.oid = t.tgrelid
        join pg_namespace n on n.oid = c.relnamespace
        where n.nspname in ('sluice', 'sluice_partitions') and not t.tgisinternal
            and t.tgenabled in ('O', 'A') and t.tgparentid = 0
            and not (n.nspname = 'sluice'
                and t.tgname in (
                    'check_zone', 'drop_keyed_requests', 'food_change', 'keep_ways',
                    'note_deleted', 'rebuild_days', 'revive_capture'))
            and t.tgname not like 'truncate\\_trigger\\_%'
            and not (n.nspname = 'sluice_partitions' and t.tgname = 'note_change')
            and \(beforeRows ? "" : "not ")(t.tgtype & 3 = 3)
        """
    }

    private static let rules = """
        select format('rule %I on %s', r.rulename, r.ev_class::regclass)
        from pg_rewrite r join pg_class c on c.oid = r.ev_class
        where c.relnamespace in ('sluice'::regnamespace, 'sluice_partitions'::regnamespace)
            and c.relkind in ('r', 'p') and r.ev_enabled in ('O', 'A')
        """

    private static let rowSecurity = """
        select format('%I.%I', n.nspname, c.relname)
        from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname in ('sluice', 'sluice_partitions') and c.relkind in ('r', 'p')
            and c.relrowsecurity and row_security_active(c.oid)
        order by 1
        """

    /// The columns of the tables that every batch writes, and whether they are always filled.
    private static let filled: String = {
        var rows: [String] = []
        func add(_ table: String, _ columns: [(String, Bool)]) {
            rows += columns.map { "('\(table)', '\($0.0)', \($0.1))" }
        }
        for kind in ReadingKind.allCases {
            let fields = kind.schema.fieldColumns.map { ($0.name, !$0.isOptional) }
            add(kind.name, [("device_key", true), ("t", true)] + fields)
        }
        add("device", [("device_key", true), ("device_id", true), ("user_id", true)])
        add("device", [("model_name", false), ("version", false)])
        add("device_state", [("device_key", true), ("key_check", true)])
        add("device_keys", [("device_key", true), ("device_id", true), ("keys", true)])
        add("rollup_due", [("device_key", true), ("hour", true), ("kind", true)])
        return rows.joined(separator: ", ")
    }()

    /// A default does not help a column that Sluice writes NULL into.
    private static let unfilledColumns = """
        select format('%I of %s', a.attname, c.oid::regclass)
        from pg_class c
        left join pg_inherits i on i.inhrelid = c.oid
        join pg_class p on p.oid = coalesce(i.inhparent, c.oid)
        join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
            and a.attnotnull
        left join (values \(filled)) f (kind, name, is_filled)
            on f.kind = p.relname and f.name = a.attname
        where p.relnamespace = 'sluice'::regnamespace
            and p.relname in (select v.kind from (values \(filled)) v (kind, name, is_filled))
            and f.is_filled is not true
            and (f.is_filled is false
                or not a.atthasdef and a.attidentity = '' and a.attgenerated = '')
            -- Of a partition only what its table does not demand.
            and not exists (select from pg_attribute u where u.attrelid = i.inhparent
                and u.attname = a.attname and u.attnotnull)
        order by 1
        """

    private static let constraints = """
        select format('%I on %s', k.name, c.oid::regclass)
        from pg_class c
        left join pg_inherits i on i.inhrelid = c.oid
        join pg_class p on p.oid = coalesce(i.inhparent, c.oid)
        cross join lateral (
            select o.conname as name from pg_constraint o
            where o.conrelid = c.oid and o.contype in ('c', 'f', 'x') and o.conislocal
            union
            select x.relname from pg_index u join pg_class x on x.oid = u.indexrelid
            where u.indrelid = c.oid and u.indisunique and not u.indisprimary
                and not x.relispartition
        ) k
        where p.relnamespace = 'sluice'::regnamespace
            and p.relname in (select v.kind from (values \(filled)) v (kind, name, is_filled))
            and k.name not in ('is_of_the_day', 'rollup_due_kind_check')
        order by 1
        """

    private static func recent(_ kind: String) -> String {
        """
        select format('%I.%I', n.nspname, c.relname), pg_relation_size(c.oid)
        from pg_inherits i
        join pg_class c on c.oid = i.inhrelid
        join pg_namespace n on n.oid = c.relnamespace
        where i.inhparent = 'sluice.\(kind)'::regclass and not i.inhdetachpending
            and c.relkind = 'r' and pg_relation_size(c.oid) > 0
        order by right(c.relname, 8) desc limit \(sampledPartitions)
        """
    }

    /// A row and the watermark behind it are committed together.
    private static func sample(_ kind: String, _ partition: String, percent: Double) -> String {
        """
        select r.device_key
        from (select device_key, max(t) as t from \(partition) tablesample system (\(percent))
            group by 1) r
        left join sluice.device_state s using (device_key)
        where s.\(kind)_until is null or s.\(kind)_until < r.t
        """
    }
}
