/// A primary's view of the standbys that copy its log: rows of `pg_stat_replication` and
/// `pg_replication_slots`.
///
/// The server reads the views one after the other, and standbys connect and disconnect in between.
/// So the slots are read before and after the senders: a sender that held a slot at either moment
/// has one, and a slot counts on its own unless a sender represents it.
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
        ///   - address: empty for a Unix socket, or when hidden from the role.
        ///   - isStreaming: its state is `streaming` or `catchup`, or hidden from the role.
        ///   - flushed: `flush_lsn`; nil when nothing was reported yet or the role may not see it.
        ///   - isSynchronous: its `sync_state` is `sync` or `quorum`.
        public init(
            pid: Int32, application: String, address: String, isStreaming: Bool, flushed: UInt64?,
            isSynchronous: Bool = false
        ) {
            (self.pid, self.application, self.address) = (pid, application, address)
            (self.isStreaming, self.flushed) = (isStreaming, flushed)
            self.isSynchronous = isSynchronous
        }

        /// Backups and log archivers can't take over; both programs are known by their usual names.
        var isProgram: Bool { ["pg_basebackup", "pg_receivewal"].contains(application) }

        /// The application name, with the address if the name is the default.
        var name: String {
            guard application == "walreceiver", !address.isEmpty else { return application }
            return "\(application) \(address)"
        }
    }

    /// A row of `pg_replication_slots`.
    public struct Slot: Sendable {
        let name: String
        /// The process that uses the slot now.
        public let activePID: Int32?
        let restart: UInt64?
        let isPhysical: Bool
        let isTemporary: Bool
        /// The primary has removed log that its standby needs.
        public let isLost: Bool

        /// A row by its columns.
        ///
        /// - Parameters:
        ///   - restart: `restart_lsn`; nil when the slot was never used or its log was removed.
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

    /// The slots before the senders were read.
    public var slotsBefore: [Slot] = []
    /// The connected standbys and programs.
    public var senders: [Sender] = []
    /// The slots after the senders were read.
    public var slots: [Slot] = []
    /// The number of standbys that a commit waits for by `synchronous_standby_names`, if it
    /// waits.
    public var synchronousCount = 1

    /// Nothing copies the log.
    public init() {}

    /// The position up to which enough standbys have the log on disk for commits that wait; nil
    /// if there are too few or the role may not see it.
    ///
    /// The setting alone is not enough: after a reload, sessions see it before the server makes
    /// commits wait, because its checkpointer must process the change first and may be late.
    public var synchronouslyFlushed: UInt64? {
        let flushed = senders.filter { $0.isSynchronous && !$0.isProgram }.compactMap(\.flushed)
            .sorted(by: >)
        guard synchronousCount > 0, flushed.count >= synchronousCount else { return nil }
        return flushed[synchronousCount - 1]
    }

    /// Physical standbys of the server, including disconnected ones that have a slot. Logical ones
    /// can't take over.
    public var standbys: [StandbyPosition] {
        var held: [Int32: Slot] = [:]
        for slot in slotsBefore + slots {
            if let pid = slot.activePID { held[pid] = slot }
        }
        var standbys: [StandbyPosition] = []
        // Slots that a sender represents.
        var spoken: Set<String> = []
        for sender in senders {
            let slot = held[sender.pid]
            let isOther = sender.isProgram || slot?.isPhysical == false || slot?.isOfBackup == true
            // A sender that begins or ends does not count; its slot does.
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
