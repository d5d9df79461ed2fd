/// A standby's position in the log, as its primary knows it.
public struct StandbyPosition: Sendable, Equatable {
    /// The name of its slot, or its `application_name`, with the address if that is the default.
    public let name: String
    /// The address it connects from; empty when it is disconnected or uses a Unix socket.
    public let address: String
    /// Bytes of the log that are on its disk; nil when unknown or hidden from the role
    /// (`pg_monitor` may see it).
    public let flushed: UInt64?
    /// It has a permanent physical replication slot: it counts for as long as the slot exists.
    public let hasSlot: Bool
    /// Its slot exists, but the log that it needs was removed: it can't catch up by the slot.
    public let isLost: Bool

    /// Makes a position.
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
    /// Reads which standbys and programs copy the server's log, in one round trip. PostgreSQL
    /// runs the parts of a `UNION ALL` in order.
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
