/// What a primary says of who copies its log: rows of `pg_stat_replication` and `pg_replication_slots`.
///
/// The server reads the views one after the other, and standbys come and go in between. So the slots
/// are read before the senders and behind them: who held a slot at either moment has one, and a slot
/// counts unless a sender speaks for it.
public struct ReplicationViews: Sendable {
    /// A row of `pg_stat_replication`.
    public struct Sender: Sendable {
        let pid: Int32
        let application: String
        let address: String
        let isStreaming: Bool
        let flushed: UInt64?
        let isSynchronous: Bool

        /// A row by its columns.
        ///
        /// - Parameters:
        ///   - address: empty: a Unix socket, or hidden from the role.
        ///   - isStreaming: its state is `streaming` or `catchup`, or hidden from the role.
        ///   - flushed: `flush_lsn`; nil: nothing was reported yet, or the role may not see it.
        ///   - isSynchronous: its `sync_state` is `sync` or `quorum`.
        public init(
            pid: Int32, application: String, address: String, isStreaming: Bool, flushed: UInt64?,
            isSynchronous: Bool = false
        ) {
            (self.pid, self.application, self.address) = (pid, application, address)
            (self.isStreaming, self.flushed) = (isStreaming, flushed)
            self.isSynchronous = isSynchronous
        }

        /// Backups and archives of the log can't take over; the two programs go by their usual names.
        var isProgram: Bool { ["pg_basebackup", "pg_receivewal"].contains(application) }

        /// The address tells those apart that have the name that is the default.
        var name: String {
            guard application == "walreceiver", !address.isEmpty else { return application }
            return "\(application) \(address)"
        }
    }

    /// A row of `pg_replication_slots`.
    public struct Slot: Sendable {
        let name: String
        /// Of the process that uses it now.
        public let activePID: Int32?
        let restart: UInt64?
        let isPhysical: Bool
        let isTemporary: Bool
        /// The primary has removed log that its standby needs.
        public let isLost: Bool

        /// A row by its columns.
        ///
        /// - Parameters:
        ///   - restart: `restart_lsn`; nil: nobody has used it, or its log was removed.
        ///   - isLost: its `wal_status` is `lost`.
        public init(
            name: String, activePID: Int32?, restart: UInt64?, isPhysical: Bool = true,
            isTemporary: Bool = false, isLost: Bool = false
        ) {
            (self.name, self.activePID, self.restart) = (name, activePID, restart)
            (self.isPhysical, self.isTemporary, self.isLost) = (isPhysical, isTemporary, isLost)
        }

        var isOfBackup: Bool { isTemporary && name.hasPrefix("pg_basebackup_") }
    }

    /// As they were before the senders were read.
    public var slotsBefore: [Slot] = []
    /// Who is connected.
    public var senders: [Sender] = []
    /// As they were after the senders were read.
    public var slots: [Slot] = []
    /// For how many standbys commits are to wait by `synchronous_standby_names`, if for any.
    public var synchronousCount = 1

    /// Nobody copies it.
    public init() {}

    /// Up to where so many standbys have the log on disk as commits are to wait for; nil: not so many
    /// are there, or the role may not see it.
    ///
    /// The setting alone would not do: after a reload sessions see it before the server lets commits
    /// wait, which its checkpointer has to hear of first and may be late to.
    public var synchronouslyFlushed: UInt64? {
        let flushed = senders.filter { $0.isSynchronous && !$0.isProgram }.compactMap(\.flushed)
            .sorted(by: >)
        guard synchronousCount > 0, flushed.count >= synchronousCount else { return nil }
        return flushed[synchronousCount - 1]
    }

    /// Physical standbys of the server, those that are away but have a slot among them. Logical ones
    /// can't take over.
    public var standbys: [StandbyPosition] {
        var held: [Int32: Slot] = [:]
        for slot in slotsBefore + slots {
            if let pid = slot.activePID { held[pid] = slot }
        }
        var standbys: [StandbyPosition] = []
        // Slots for which a sender speaks.
        var spoken: Set<String> = []
        for sender in senders {
            let slot = held[sender.pid]
            let isOther = sender.isProgram || slot?.isPhysical == false || slot?.isOfBackup == true
            // A sender that begins or ends says nothing yet or any more: its slot does.
            guard isOther || sender.isStreaming else { continue }
            if let slot { spoken.insert(slot.name) }
            guard !isOther else { continue }
            let hasSlot = slot?.isTemporary == false
            standbys.append(
                StandbyPosition(
                    name: hasSlot ? slot?.name ?? "" : sender.name, address: sender.address,
                    flushed: sender.flushed, hasSlot: hasSlot))
        }
        for slot in slots where slot.isPhysical && !slot.isTemporary && !spoken.contains(slot.name)
        {
            guard slot.restart != nil || slot.isLost else { continue }
            standbys.append(
                StandbyPosition(
                    name: slot.name, flushed: slot.restart, hasSlot: true, isLost: slot.isLost))
        }
        return standbys
    }
}
