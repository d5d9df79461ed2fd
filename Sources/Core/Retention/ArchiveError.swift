public import Files
import Glibc
public import OperatorErrors
public import S3

/// Why a day can't be archived or restored.
public enum ArchiveError: Error, Equatable, Sendable {
    /// A system call failed.
    case disk(operation: String, path: String, errno: Int32)
    /// A bucket's server did not do what was asked.
    case bucket(location: String, S3Error)
    /// The bucket's mark names another database.
    case owned(location: String, mark: String)
    /// The file is not as it was written; nothing of it was used.
    case damaged(path: String, Damage)
    /// A newer version wrote it, in a format that this version does not know.
    case newer(path: String, format: Int)
    /// A file of that name exists and belongs to another database.
    case foreign(path: String)
    /// The number of copied rows is not the number of rows in the table.
    case rowsDiffer(partition: String, counted: Int, copied: Int)
    /// Days were archived before, but no directory is configured now.
    case directoryMissing
    /// Another process uses the archive.
    case busy
    /// How far the database's clock is ahead of this node's; negative: behind.
    case clocksDiffer(seconds: Int)
    /// The newest reading is so much older than today that the clock is doubted.
    case todayDoubtful(today: String, newest: String?, days: Int)
    /// There is no directory at the path.
    case notThere(path: String)
    /// This node wrote files there, but the directory has none.
    case emptied(path: String)
    /// The file is not in this node's directory.
    case elsewhere(file: String, origin: String)

    /// The fault of a file.
    public enum Damage: Equatable, Sendable {
        /// The file does not exist.
        case missing
        /// The size of the file in bytes.
        case size(expected: Int, found: Int)
        /// The SHA-256 of the file.
        case checksum
        /// The file is not one whole frame of LZ4 or Zstandard.
        case frame
        /// The size of the contents in bytes.
        case textSize(expected: Int, found: Int)
        /// The number of rows in the contents.
        case rows(expected: Int, found: Int)
        /// The manifest is missing or invalid.
        case manifest
        /// The manifest differs from the database.
        case manifestDiffers
    }
}

extension ArchiveError {
    /// Whether the bucket's server gave no answer, so that no other file can be read now either.
    public var isUnreachable: Bool {
        if case .bucket(_, .unavailable) = self { true } else { false }
    }
}

extension ArchiveError: FileError {
    /// The error for a failed file operation.
    public init(_ failure: FileFailure) {
        self = .disk(
            operation: "\(failure.operation)", path: failure.path, errno: failure.errno)
    }
}

extension ArchiveError: CustomStringConvertible {
    /// One line for a log and for people; includes the path.
    public var description: String {
        switch self {
        case .disk(let operation, let path, let code):
            "\(path): \(operation) failed: \(String(cString: strerror(code)))"
        case .bucket(let location, let error): "\(location): \(error)"
        case .owned(let location, let mark):
            "\(location): belongs to another database. Give each database a prefix of its own. If "
                + "this one has taken the other's place and the other is gone, remove \(mark)"
        case .damaged(let path, let damage): "\(path): \(damage)"
        case .newer(let path, let format):
            "\(path): is of format \(format), and this version knows \(Manifest.newest): use the "
                + "version of Sluice that wrote it, or a newer one"
        case .foreign(let path): "\(path): already exists and belongs to another database"
        case .rowsDiffer(let partition, let counted, let copied):
            "\(partition): \(counted) rows were counted, but \(copied) were copied"
        case .directoryMissing:
            "days were archived before, but SLUICE_ARCHIVE_DIRECTORY is blank: nothing is dropped. "
                + "Set it to a directory or bucket, or to none to drop days from now on"
        case .busy: "another process uses the archive; try again later"
        case .notThere(let path):
            "\(path): there is no such directory. If it is on a disk, mount the disk; otherwise "
                + "create it, accessible only to the user that runs sluice"
        case .clocksDiffer(let seconds):
            "the database's clock is \(abs(seconds)) s \(seconds > 0 ? "ahead of" : "behind") this "
                + "node's: nothing is archived until both are right"
        case .todayDoubtful(let today, let newest, let days):
            "the database's date is \(today), but the newest reading is of \(newest ?? "no day"): "
                + "\(days) days of tables stay until newer readings arrive, or until you have "
                + "checked the clock and run `sluice archive run --trust-clock`"
        case .emptied(let path):
            "\(path): files were written there, but now there are none: is the disk mounted?"
        case .elsewhere(let file, let origin):
            "\(file) (written to \(origin)) must be removed but is not in this directory: run "
                + "`sluice archive run` on the node that has it"
        }
    }
}

extension ArchiveError.Damage: CustomStringConvertible {
    /// A few words.
    public var description: String {
        switch self {
        case .missing: "is missing"
        case .size(let expected, let found): "has \(found) bytes, \(expected) were written"
        case .checksum: "its SHA-256 differs from the SHA-256 of the file that was written"
        case .frame: "is not a complete frame"
        case .textSize(let expected, let found): "holds \(found) bytes, \(expected) were written"
        case .rows(let expected, let found): "holds \(found) rows, \(expected) were written"
        case .manifest: "the manifest is missing or can't be read"
        case .manifestDiffers: "the manifest differs from the database"
        }
    }
}

extension ArchiveError: OperatorError {
    /// What is wrong and, in most, how to correct it.
    public var sentence: String { description }

    /// See ``OperatorError``.
    public var exitCode: Int32 {
        switch self {
        case .disk, .emptied, .notThere: EX_CANTCREAT
        case .bucket: EX_UNAVAILABLE
        case .damaged, .newer, .rowsDiffer: EX_DATAERR
        case .foreign, .owned, .directoryMissing: EX_USAGE
        case .busy, .clocksDiffer, .todayDoubtful, .elsewhere: EX_TEMPFAIL
        }
    }
}
