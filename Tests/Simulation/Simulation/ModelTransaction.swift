import Ingest
import Readings

/// What a session has done since BEGIN. Other sessions don't see it before COMMIT.
final class ModelTransaction {
    let number: Int
    /// The history of the server on which it began.
    let history: Int
    /// New versions of rows in `device_state`, by key.
    var states: [Int64: DeviceState] = [:]
    /// New versions of rows in `device`, by key.
    var devices: [Int64: DeviceRow] = [:]
    /// New versions of rows in `device_keys`, by device id.
    var keys: [String: [Int64]] = [:]
    /// Rows that were sent.
    var readings: [Reading] = []
    /// Attributes that were sent, until the server executes their statement.
    var attributes: [Claim] = []
    var quarantined: [Quarantined] = []
    var notes: [NoteWrite] = []
    var notesSetAside: [Note] = []
    /// The device attributes in the claims.
    var sayings: [Saying] = []
    /// A statement failed: only ROLLBACK is allowed.
    var hasFailed = false
    /// Everything was sent, COMMIT last.
    var isCommitSent = false
    /// The transaction for whose end it waits.
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
    var family: [Int64] = []
}

/// The attributes that a group's device reports.
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

/// A row of one of the three reading tables. All of its bytes are its identity.
struct Reading: Hashable {
    let kind: ReadingKind
    let tuple: [UInt8]

    var deviceKey: Int64 { integer(6) }
    var time: Int64 { integer(18) }
    /// For vital readings only.
    var code: Int16 { Int16(truncatingIfNeeded: Int(tuple[30]) << 8 | Int(tuple[31])) }

    /// The model's constraint refuses it.
    var isPoison: Bool { kind == .vital && code == Self.poisonCode }
    static let poisonCode: Int16 = 666

    private func integer(_ offset: Int) -> Int64 {
        tuple[offset..<offset + 8].reduce(0) { $0 << 8 | Int64($1) }
    }
}

/// A reading of a device, whoever its user is.
struct Content: Hashable {
    let deviceID: String
    let kind: ReadingKind
    /// Without its key.
    let tuple: ArraySlice<UInt8>

    init(_ reading: Reading, of deviceID: String) {
        self.deviceID = deviceID
        kind = reading.kind
        tuple = reading.tuple[14...]
    }
}

/// A row of `quarantine`, reduced to the columns that decide whether two rows are the same.
struct Quarantined: Hashable {
    let deviceKey: Int64
    let body: [UInt8]
}

/// What transactions lock.
enum LockKey: Hashable {
    case state(Int64)
    case device(Int64)
    /// A row of `device_keys`.
    case keys(String)
    case note(String)
}
