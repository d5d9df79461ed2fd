/// One user's data, removed from all tables and from the file store: `sluice forget`.
///
/// **What is a user's.** Rows with the user's id; devices that named the user last, with all their
/// readings, rollups and quarantined readings; jobs, notices and set-aside units whose payload names
/// the user; uploaded files of the user's rows, and those that were uploaded for nobody in particular
/// but belong to the user's captures. ``TableRule/all`` says it table by table, also of the tables
/// that hold nobody's data; a test fails for a table that is not on it.
///
/// **Order, and what a crash leaves.** Everything is found by what is removed last: jobs first, so
/// that no handler writes results again (its lease is gone with its row); a capture in one
/// transaction with the rows of its files; a device's readings before its watermarks, its watermarks
/// with the device; `device_state.readings` loses each reading in the transaction that removes it. So
/// a run that was cut off is finished by running it again. Bytes of files go after
/// the rows that named them have gone for good; what a crash leaves of them, the server's sweep
/// removes.
///
/// **Beside a running server.** Transactions are short: at most ``ErasureLimits/batchRows`` rows of
/// one table. No lock is taken but those of the rows. A device goes under the lock of its row of
/// `device_state`, which whoever stores readings of it needs, and only when no reading of it is left:
/// what a writer was about to store belongs to a device that is new from then on. So nothing is half
/// forgotten, and what the user sends afterwards is there again. The run goes through all tables
/// until one pass finds nothing, five times at most; if the user still sends then, the report says
/// so.
///
/// **Copies.** Tables that `sluice archive restore --into` made are known by their comment, and rows
/// go from them too; one that refuses that is named, and the devices stay known for the next run.
///
/// **What it can't reach**: backups, archived write-ahead logs, replicas that lag, the spools of
/// other nodes, what other programs have copied. Rows that were removed stay in the data files until
/// VACUUM and new rows have overwritten them.
public enum Erasure {
    /// What is known to hold a user's data and is not reached by SQL.
    public static let outOfReach = [
        "backups and archived write-ahead logs hold it until they expire",
        "a running server may hold the id in memory until other devices' have replaced it",
    ]
}

/// How large the steps of an erasure are.
public struct ErasureLimits: Sendable {
    /// Rows of one table that one transaction removes; 20 000 take some tens of milliseconds.
    public var batchRows = 20_000
    /// Devices that are looked up in the days' tables together.
    public var deviceBatch = 500
    /// How often to go through all tables until nothing is found any more.
    public var passesMax = 5
    /// How long one statement may take.
    public var statementMax: Duration = .seconds(120)

    /// The defaults.
    public init() {}
}

/// What an erasure has done, or what it would do.
public struct ErasureReport: Sendable, Equatable, Codable {
    /// Nothing was removed.
    public var isDryRun: Bool
    /// Tables with rows of the user.
    public var tables: [TableCount] = []
    /// Devices of the user's.
    public var devices = 0
    /// Uploaded files.
    public var files = FileCount()
    /// Files of days that left the tables.
    public var archives = ArchiveCount()
    /// How often all tables were gone through.
    public var passes = 0
    /// The last pass found nothing any more. Of a dry run: there is nothing.
    public var isComplete = false
    /// The erasure's number in `sluice.erasure`; nil for a dry run.
    public var number: Int64?

    /// Rows of all tables.
    public var rows: Int { tables.reduce(0) { $0 + $1.rows } }
    /// Bytes of all rows.
    public var bytes: Int { tables.reduce(0) { $0 + $1.bytes } }

    init(isDryRun: Bool) { self.isDryRun = isDryRun }

    /// Counts rows of a table, keeping the order in which tables are gone through.
    mutating func count(_ table: String, rows: Int, bytes: Int) {
        guard rows > 0 else { return }
        if let place = tables.firstIndex(where: { $0.table == table }) {
            tables[place].rows += rows
            tables[place].bytes += bytes
        } else {
            var count = TableCount(table)
            (count.rows, count.bytes) = (rows, bytes)
            tables.append(count)
        }
    }
}

/// What became of files of archived days.
public struct ArchiveCount: Sendable, Equatable, Codable {
    /// Files that held rows of the user's devices and were written anew.
    public var filesRewritten = 0
    /// Such rows.
    public var rowsRemoved = 0
    /// Files that could not be read or written, and copies of days in other schemas that refused,
    /// and why: they may hold readings still.
    public var failures: [String] = []

    /// Nothing.
    public init() {}
}

/// What became of uploaded files' contents.
public struct FileCount: Sendable, Equatable, Codable {
    /// Contents that are gone.
    public var removed = 0
    /// How large they were.
    public var bytesRemoved = 0
    /// Contents that rows of other users name as well, and that stay for them.
    public var shared = 0
    /// Contents that are too new to be removed without risk to an upload of the same bytes: the
    /// server's sweep takes them.
    public var leftToSweep = 0

    /// Counts a content that no row names any more, or would.
    mutating func count(_ object: ErasedObject, isRemoved: Bool) {
        if isRemoved {
            removed += 1
            bytesRemoved += object.bytes
        } else {
            leftToSweep += 1
        }
    }
}

/// What was found, or removed, in one table.
public struct TableCount: Sendable, Equatable, Codable {
    /// With its schema.
    public let table: String
    /// How many rows.
    public var rows = 0
    /// Their size in memory, which is about what they take on disk without indexes.
    public var bytes = 0

    init(_ table: String) { self.table = table }
}

/// The content of an uploaded file that no row of the user names any more.
public struct ErasedObject: Hashable, Sendable {
    /// What the store calls it.
    public let name: String
    /// Its size.
    public let bytes: Int
}

/// A device of the user's.
struct UserDevice {
    let key: Int64
    /// Lower-case.
    let id: String

    /// What a reading looks like, in the form that `encode(…, 'escape')` gives its bytes, that was
    /// sent through another device and names this one.
    var pattern: String {
        let special: Set<Character> = [
            ".", "^", "$", "*", "+", "?", "(", ")", "[", "]", "{", "}", "|", "\\", "/",
        ]
        var escaped = ""
        for byte in id.utf8 {
            switch byte {
            case 0x80...:
                let octal = String(byte, radix: 8)
                escaped += "\\\\" + String(repeating: "0", count: 3 - octal.count) + octal
            case UInt8(ascii: "\\"): escaped += "\\\\\\\\\\\\\\\\"
            case UInt8(ascii: "\""): escaped += "\\\\\\\\\""
            default:
                let character = Character(UnicodeScalar(byte))
                escaped += special.contains(character) ? "\\\(character)" : "\(character)"
            }
        }
        return "\"device_id\"\\s*:\\s*\"\(escaped)\""
    }
}
