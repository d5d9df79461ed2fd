import Postgres
import Readings

/// The data on a server's disk.
struct ModelTables {
    var states: [Int64: DeviceState] = [:]
    var devices: [Int64: DeviceRow] = [:]
    /// Rows of `device_keys`, by device id.
    var keys: [String: [Int64]] = [:]
    var days: Set<Int32> = []
    var rows: Set<Reading> = []
    /// The same rows, indexed by kind and device, in commit order.
    var rowsByDevice: [[Int64: [Reading]]] = [[:], [:], [:]]
    /// The same rows, whoever their users are.
    var contents: Set<Content> = []
    var quarantine: Set<Quarantined> = []
    var notes: [String: NoteRow] = [:]
    var notesSetAside: Set<Note> = []
    /// The last attributes of each device, for the oracle.
    var sayings = Oracle.Sayings()
    /// The number of commits it contains.
    var position: UInt64 = 0
}

/// A server of the cluster: the primary, a former primary, or a standby.
final class ModelServer {
    let name: String
    /// Whether it receives the log through a replication slot.
    let usesSlot: Bool
    private let address: String
    var tables = ModelTables()
    /// The history of the primary that it follows or followed last.
    var history = 0
    /// The pid of the process that sends it the log; nil: disconnected.
    var pid: Int32?
    /// The sender process has the slot and has not begun to send.
    var isStarting = false
    /// The position that it last reported to its primary; nil: none yet.
    var reported: UInt64?
    /// The positions of its slots, by the history of the primary that has them.
    var slots: [Int: UInt64] = [:]
    /// Histories whose primary has removed log that the slot should have kept.
    var lostSlots: Set<Int> = []
    /// Its disk is lost, or its log diverged from the primary's: it needs a new copy.
    var isSpoilt = false
    /// The position up to which commits were released before it counted.
    var owes: UInt64 = 0

    init(number: Int, usesSlot: Bool) {
        name = "server\(number)"
        address = "10.0.0.\(number)"
        self.usesSlot = usesSlot
    }

    func leave() {
        pid = nil
        isStarting = false
    }

    func connect(_ history: Int, pid: Int32) {
        (self.history, self.pid, isStarting, reported) = (history, pid, true, nil)
        let needsSlot = lostSlots.remove(history) != nil || slots[history] == nil
        if usesSlot, needsSlot { slots[history] = tables.position }
    }

    func report(_ position: UInt64) {
        isStarting = false
        reported = position
        if slots[history] != nil { slots[history] = position }
    }

    /// Whether a process that looks at the primary of this history can see it.
    func isVisible(at history: Int) -> Bool {
        (slots[history] != nil && !lostSlots.contains(history))
            || (self.history == history && pid != nil && !isStarting)
    }

    func sender(at history: Int) -> ReplicationViews.Sender? {
        guard self.history == history, let pid else { return nil }
        return ReplicationViews.Sender(
            pid: pid, application: usesSlot ? "walreceiver" : name, address: address,
            isStreaming: !isStarting, flushed: reported, isSynchronous: !isStarting)
    }

    func slot(at history: Int) -> ReplicationViews.Slot? {
        guard let restart = slots[history] else { return nil }
        let isLost = lostSlots.contains(history)
        return ReplicationViews.Slot(
            name: name, activePID: self.history == history ? pid : nil,
            restart: isLost ? nil : restart, isLost: isLost)
    }
}
