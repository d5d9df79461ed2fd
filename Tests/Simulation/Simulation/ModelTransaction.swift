import Readings

/// What a session has done since BEGIN; nobody else sees it before COMMIT.
final class ModelTransaction {
    let number: Int
    /// Of the server that it began on.
    let history: Int
    /// New versions of rows in `device_state`, by key.
    var states: [Int64: DeviceState] = [:]
    /// The same of `device`.
    var devices: [Int64: DeviceRow] = [:]
    /// Rows of `device_state` that the claim found and moved the watermarks of.
    var readings: [Reading] = []
    var quarantined: [Quarantined] = []
    var notes: [NoteWrite] = []
    var notesSetAside: [Note] = []
    /// What claims say of devices.
    var sayings: [Saying] = []
    /// A statement failed: only ROLLBACK is left.
    var hasFailed = false
    /// Everything was sent, COMMIT behind it.
    var isCommitSent = false
    /// Whose end it waits for.
    var waitsFor: ModelTransaction?
    var isOver = false

    init(number: Int, history: Int) {
        self.number = number
        self.history = history
    }
}

/// A row of `device_state`.
struct DeviceState {
    var keyCheck: Int64
    var watermarks = ByKind<Int64>(repeating: .min)
    var readings: Int64 = 0
    var said: Int64 = 0
    var saidAt = Int64.min
}

/// What a group's devices say of themselves.
struct Saying {
    let deviceKey: Int64
    let at: Int64
    let version: String
}

/// A row of `device`.
struct DeviceRow: Equatable {
    var deviceID: String
    var userID: String
    var modelName: String?
    var version: String?
    var attributesAt: Int64
}

/// A row of one of the three big tables; its identity is all of it.
struct Reading: Hashable {
    let kind: ReadingKind
    let tuple: [UInt8]

    var deviceKey: Int64 { integer(6) }
    var time: Int64 { integer(18) }
    /// Of a vital reading.
    var code: Int16 { Int16(truncatingIfNeeded: Int(tuple[30]) << 8 | Int(tuple[31])) }

    /// Refused by the model's constraint.
    var isPoison: Bool { kind == .vital && code == Self.poisonCode }
    static let poisonCode: Int16 = 666

    private func integer(_ offset: Int) -> Int64 {
        tuple[offset..<offset + 8].reduce(0) { $0 << 8 | Int64($1) }
    }
}

/// A row of `quarantine`, as far as it decides what is the same.
struct Quarantined: Hashable {
    let deviceKey: Int64
    let body: [UInt8]
}

/// What transactions wait for each other for.
enum LockKey: Hashable {
    case state(Int64)
    case device(Int64)
    case note(String)
}
