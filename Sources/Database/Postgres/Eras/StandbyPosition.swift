/// How far a standby has come, as its primary knows it.
public struct StandbyPosition: Sendable, Equatable {
    /// Its `application_name` and address, or the name of its slot.
    public let name: String
    /// Bytes of the log that are on its disk; nil: the role may not see it (`pg_monitor` may).
    public let flushed: UInt64?
    /// A physical replication slot that nobody uses at the moment: its standby is away.
    public let isIdleSlot: Bool

    /// A position by its parts.
    public init(name: String, flushed: UInt64?, isIdleSlot: Bool = false) {
        self.name = name
        self.flushed = flushed
        self.isIdleSlot = isIdleSlot
    }
}

extension Connection {
    /// A commit waits until as many standbys as the server's setting asks for have it on disk: those of
    /// our sessions do, see `SessionRules`.
    public var commitsWaitForStandbys: Bool {
        get throws(PostgresError) {
            try query("SELECT current_setting('synchronous_standby_names') <> ''").bool(0, 0)
        }
    }

    /// Physical standbys of the server, those that are away but have a slot among them. Logical ones and
    /// backups can't take over.
    public func readStandbys() throws(PostgresError) -> [StandbyPosition] {
        let rows = try query(
            """
            SELECT pg_catalog.concat_ws(' ', r.application_name, pg_catalog.host(r.client_addr)),
                (r.flush_lsn - '0/0'::pg_lsn)::int8, false
            FROM pg_catalog.pg_stat_replication r
                LEFT JOIN pg_catalog.pg_replication_slots s ON s.active_pid = r.pid
            WHERE coalesce(r.state, 'streaming') IN ('streaming', 'catchup')
                AND coalesce(s.slot_type, 'physical') = 'physical'
            UNION ALL
            SELECT slot_name, (restart_lsn - '0/0'::pg_lsn)::int8, true
            FROM pg_catalog.pg_replication_slots
            WHERE slot_type = 'physical' AND NOT active AND restart_lsn IS NOT NULL
            """)
        return (0..<rows.count).map { row in
            StandbyPosition(
                name: rows.string(row, 0),
                flushed: rows.isNull(row, 1) ? nil : UInt64(bitPattern: rows.int64(row, 1)),
                isIdleSlot: rows.string(row, 2) == "t")
        }
    }
}
