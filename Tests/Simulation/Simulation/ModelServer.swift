import Postgres
import Readings

/// All that a server has on its disk.
struct ModelTables {
    var states: [Int64: DeviceState] = [:]
    var devices: [Int64: DeviceRow] = [:]
    var days: Set<Int32> = []
    var rows: Set<Reading> = []
    /// The same rows for look-ups, by kind and device, in the order of their commits.
    var rowsByDevice: [[Int64: [Reading]]] = [[:], [:], [:]]
    var quarantine: Set<Quarantined> = []
    var notes: [String: NoteRow] = [:]
    var notesSetAside: Set<Note> = []
    /// What each device said last, for the oracle.
    var sayings = Oracle.Sayings()
    /// How many commits it has seen.
    var position: UInt64 = 0
}

/// A server of the cluster: the primary, one that was, or a standby.
final class ModelServer {
    let name: String
    /// It gets its log by a slot.
    let usesSlot: Bool
    private let address: String
    var tables = ModelTables()
    /// Of the primary that it follows, or followed last.
    var history = 0
    /// Of the process that sends it the log; nil: it is away.
    var pid: Int32?
    /// That process has the slot, and has not begun to send.
    var isStarting = false
    /// What it has told its primary; nil: nothing yet.
    var reported: UInt64?
    /// How far its slots are, by the history of the primary that has them.
    var slots: [Int: UInt64] = [:]
    /// Histories whose primary has removed the log that its slot should keep.
    var lostSlots: Set<Int> = []
    /// Its disk is lost, or its log went on where that of the primary did not: it needs a new copy.
    var isSpoilt = false
    /// Up to where commits were let go before it counted.
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

    /// Who looks at the primary of this history learns of it.
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
