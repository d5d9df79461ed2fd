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
    /// Its slot is there, and the log that it needs is not: it can't catch up by it.
    public let isLost: Bool

    /// A position by its parts.
    public init(
        name: String, address: String = "", flushed: UInt64?, hasSlot: Bool = false,
        isLost: Bool = false
    ) {
        self.name = name
        self.address = address
        self.flushed = flushed
        self.hasSlot = hasSlot
        self.isLost = isLost
    }
}

extension Connection {
    /// Who copies the server's log. One round trip; PostgreSQL runs the parts of a `UNION ALL` in their
    /// order.
    public func readReplicationViews() throws(PostgresError) -> ReplicationViews {
        let slots = """
            slot_name::text, active_pid, (restart_lsn - '0/0'::pg_lsn)::int8, '',
                slot_type = 'physical', temporary, coalesce(wal_status = 'lost', false)
            FROM pg_catalog.pg_replication_slots
            """
        let rows = try query(
            """
            SELECT 1, \(slots)
            UNION ALL
            SELECT 2, coalesce(application_name, ''), pid, (flush_lsn - '0/0'::pg_lsn)::int8,
                coalesce(host(client_addr), ''),
                coalesce(state, 'streaming') IN ('streaming', 'catchup'), false,
                coalesce(sync_state IN ('sync', 'quorum'), false)
            FROM pg_catalog.pg_stat_replication
            UNION ALL
            SELECT 3, \(slots)
            UNION ALL
            SELECT 4, '', coalesce(substring(current_setting('synchronous_standby_names')
                    FROM '(?i)^[[:space:]]*(?:(?:first|any)[[:space:]]+)?([0-9]+)[[:space:]]*[(]'),
                '1')::int4, NULL, '', false, false, false
            """)
        var views = ReplicationViews()
        for row in 0..<rows.count {
            let (name, part) = (rows.string(row, 1), rows.int32(row, 0))
            let pid = rows.isNull(row, 2) ? nil : rows.int32(row, 2)
            let position = rows.isNull(row, 3) ? nil : UInt64(bitPattern: rows.int64(row, 3))
            if part == 4 {
                views.synchronousCount = Int(pid ?? 1)
                continue
            }
            if part == 2 {
                views.senders.append(
                    ReplicationViews.Sender(
                        pid: pid ?? 0, application: name, address: rows.string(row, 4),
                        isStreaming: rows.bool(row, 5), flushed: position,
                        isSynchronous: rows.bool(row, 7)))
                continue
            }
            let slot = ReplicationViews.Slot(
                name: name, activePID: pid, restart: position, isPhysical: rows.bool(row, 5),
                isTemporary: rows.bool(row, 6), isLost: rows.bool(row, 7))
            if part == 1 { views.slotsBefore.append(slot) } else { views.slots.append(slot) }
        }
        return views
    }
}
