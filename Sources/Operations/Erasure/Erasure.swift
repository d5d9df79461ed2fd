/// `sluice forget`: removes one user's data from all tables and from the file store.
///
/// **What belongs to a user.** Rows with the user's id; devices whose last batch named the user,
/// with all their readings, rollups and quarantined readings; jobs, notices and rejected units
/// whose payload names the user; uploaded files of the user's rows, and files uploaded without a
/// user that belong to the user's captures. `Schema.tables` says whose the rows of each table are,
/// also of tables that hold no user's data; a test fails for a table that is missing there.
///
/// **Order, and what a crash leaves.** The rows through which other rows are found are removed
/// last. Jobs go first, so that no handler writes results again (its lease is gone with its row). A
/// capture goes in one transaction with the rows of its files. A device's readings go before its
/// watermarks, and its watermarks with the device. `device_state.readings` loses each reading in
/// the transaction that removes it. So a run that was interrupted is completed by running it again.
/// The contents of files are removed after the commit that removed the rows naming them; the
/// server's sweep removes those that a crash leaves.
///
/// **Failures.** A table or file that refuses does not stop the others; the report names it, and the
/// next run tries it again.
///
/// **Beside a running server.** Transactions are short: at most ``ErasureLimits/batchRows`` rows of
/// one table. Only row locks are taken. A device is removed under the lock of its row in
/// `device_state`, which every writer of its readings needs, and only if no reading of it is left.
/// A writer that waited for that lock registers the device anew. So nothing is half erased, and
/// data that the user sends afterwards is stored again. The run repeats all tables until a pass
/// finds nothing, at most five times; if the user still sends data then, the report says so.
///
/// **Copies.** Tables made by `sluice archive restore --into` are recognized by their comment, and
/// rows are removed from them too. A copy that refuses this is named in the report, and its devices
/// stay registered for the next run.
///
/// **Out of reach**: backups, archived write-ahead logs, replicas that lag, the spools of other
/// nodes, copies made by other programs. Removed rows stay in the data files until VACUUM and new
/// rows have overwritten them.
public enum Erasure {
    /// Copies of a user's data that SQL does not reach.
    public static let outOfReach = [
        "backups and archived write-ahead logs hold it until they expire",
        "a running server may hold the id in memory until other devices' have replaced it",
    ]
}

/// The step sizes of an erasure.
public struct ErasureLimits: Sendable {
    /// Rows of one table that one transaction removes; 20 000 take some tens of milliseconds.
    public var batchRows = 20_000
    /// Devices whose rows in the day tables are removed together.
    public var deviceBatch = 500
    /// Maximum number of passes over all tables.
    public var passesMax = 5
    /// Timeout of one statement.
    public var statementMax: Duration = .seconds(120)

    /// The defaults.
    public init() {}
}

/// The result of an erasure or of a dry run.
public struct ErasureReport: Sendable, Equatable, Codable {
    /// True if nothing was removed.
    public var isDryRun: Bool
    /// Tables that contain rows of the user.
    public var tables: [TableCount] = []
    /// Number of the user's devices.
    public var devices = 0
    /// Contents of uploaded files.
    public var files = FileCount()
    /// Files of archived days.
    public var archives = ArchiveCount()
    /// Tables and files that could not be changed, with the reason. They may still hold data of the
    /// user; everything else was processed.
    public var failures: [String] = []
    /// Number of passes over all tables.
    public var passes = 0
    /// The last pass found nothing. In a dry run: there is nothing to remove.
    public var isComplete = false
    /// The erasure's number in `sluice.erasure`; nil for a dry run.
    public var number: Int64?

    /// Rows of all tables.
    public var rows: Int { tables.reduce(0) { $0 + $1.rows } }
    /// Bytes of all rows.
    public var bytes: Int { tables.reduce(0) { $0 + $1.bytes } }

    init(isDryRun: Bool) { self.isDryRun = isDryRun }

    /// Counts rows of a table; keeps the order in which the tables are processed.
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

/// What was done with the files of archived days.
public struct ArchiveCount: Sendable, Equatable, Codable {
    /// Files that held rows of the user's devices and were rewritten.
    public var filesRewritten = 0
    /// Rows removed from these files.
    public var rowsRemoved = 0
    /// Files that could not be read or written, and copies of days in other schemas that refused,
    /// with the reason. They may still hold readings.
    public var failures: [String] = []

    /// No files and no rows.
    public init() {}
}

/// What was done with the contents of uploaded files.
public struct FileCount: Sendable, Equatable, Codable {
    /// Number of removed contents.
    public var removed = 0
    /// Their total size.
    public var bytesRemoved = 0
    /// Contents that rows of other users name as well; they stay.
    public var shared = 0
    /// Contents that are too new to be removed without risk to an upload of the same bytes; the
    /// server's sweep removes them later.
    public var leftToSweep = 0

    /// Counts a content that no row names any more; in a dry run, that no row would name.
    mutating func count(_ object: ErasedObject, isRemoved: Bool) {
        if isRemoved {
            removed += 1
            bytesRemoved += object.bytes
        } else {
            leftToSweep += 1
        }
    }
}

/// The rows found or removed in one table.
public struct TableCount: Sendable, Equatable, Codable {
    /// With the schema's name.
    public let table: String
    /// Number of rows.
    public var rows = 0
    /// Their size in memory, about the same as on disk without indexes.
    public var bytes = 0

    init(_ table: String) { self.table = table }
}

/// The content of an uploaded file whose rows were removed.
public struct ErasedObject: Hashable, Sendable {
    /// Its name in the file store.
    public let name: String
    /// Its size in bytes.
    public let bytes: Int
}

/// A device that belongs to the user.
struct UserDevice {
    let key: Int64
    /// Lower-case.
    let id: String

    /// A regular expression for a reading that was sent through another device and names this one.
    /// It matches the reading's bytes as `encode(…, 'escape')` prints them.
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
