/// How far a standby has come, as its primary knows it.
public struct StandbyPosition: Sendable, Equatable {
    /// The name of its slot, or its `application_name`, with its address where that is the default.
    public let name: String
    /// Where it connects from; empty: it is away, or by a Unix socket.
    public let address: String
    /// Bytes of the log that are on its disk; nil: the role may not see it (`pg_monitor` may).
    public let flushed: UInt64?
    /// It has a physical replication slot that lasts: it counts for as long as that exists.
    public let hasSlot: Bool

    /// A position by its parts.
    public init(name: String, address: String = "", flushed: UInt64?, hasSlot: Bool = false) {
        self.name = name
        self.address = address
        self.flushed = flushed
        self.hasSlot = hasSlot
    }
}

extension Connection {
    /// A commit waits until as many standbys as the server's setting asks for have it on disk: those of
    /// our sessions do, see `SessionRules`.
    public var commitsWaitForStandbys: Bool {
        get throws(PostgresError) {
            try query(
                """
                SELECT current_setting('synchronous_standby_names') <> ''
                    AND current_setting('synchronous_commit') IN ('on', 'remote_apply')
                """
            ).bool(0, 0)
        }
    }

    /// Physical standbys of the server, those that are away but have a slot among them. Logical ones,
    /// backups and archives of the log can't take over; the two programs go by their usual names.
    public func readStandbys() throws(PostgresError) -> [StandbyPosition] {
        let rows = try query(
            """
            SELECT coalesce(CASE WHEN NOT s.temporary THEN s.slot_name::text END,
                CASE r.application_name
                    WHEN 'walreceiver' THEN concat_ws(' ', 'walreceiver', host(r.client_addr))
                    ELSE r.application_name END),
                (r.flush_lsn - '0/0'::pg_lsn)::int8, coalesce(NOT s.temporary, false),
                coalesce(host(r.client_addr), '')
            FROM pg_catalog.pg_stat_replication r
                LEFT JOIN pg_catalog.pg_replication_slots s ON s.active_pid = r.pid
            WHERE coalesce(r.state, 'streaming') IN ('streaming', 'catchup')
                AND coalesce(s.slot_type, 'physical') = 'physical'
                AND r.application_name NOT IN ('pg_basebackup', 'pg_receivewal')
                AND NOT coalesce(
                    s.temporary AND starts_with(s.slot_name::text, 'pg_basebackup_'), false)
            UNION ALL
            SELECT slot_name::text, (restart_lsn - '0/0'::pg_lsn)::int8, true, ''
            FROM pg_catalog.pg_replication_slots
            WHERE slot_type = 'physical' AND NOT active AND restart_lsn IS NOT NULL
            """)
        return (0..<rows.count).map { row in
            StandbyPosition(
                name: rows.string(row, 0), address: rows.string(row, 3),
                flushed: rows.isNull(row, 1) ? nil : UInt64(bitPattern: rows.int64(row, 1)),
                hasSlot: rows.bool(row, 2))
        }
    }
}
