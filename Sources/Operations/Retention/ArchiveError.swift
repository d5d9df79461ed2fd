/// Why a day can't be put into a file or taken from one.
public enum ArchiveError: Error, Equatable, Sendable {
    /// The operating system refused.
    case disk(operation: String, path: String, errno: Int32)
    /// The file is not what was written, and so nothing of it was used.
    case damaged(path: String, Damage)
    /// There is a file of that name and it belongs to another database.
    case foreign(path: String)
    /// The table has another number of rows than were copied.
    case rowsDiffer(partition: String, counted: Int, copied: Int)
    /// Other days were archived, and now no directory is configured.
    case directoryMissing
    /// Another process works on the archive.
    case busy
    /// The database's clock is that much ahead of this node's; negative: behind.
    case clocksDiffer(seconds: Int)
    /// The newest reading is so much older than today that the clock is not believed.
    case todayDoubtful(today: String, newest: String?, days: Int)
    /// There is no directory of that name.
    case notThere(path: String)
    /// This node wrote files there, and there are none.
    case emptied(path: String)
    /// It is not where this node looks for it.
    case elsewhere(file: String, origin: String)

    /// What is wrong with a file.
    public enum Damage: Equatable, Sendable {
        /// It is not there.
        case missing
        /// Bytes of the file.
        case size(expected: Int, found: Int)
        /// SHA-256 of the file.
        case checksum
        /// LZ4 can't read it.
        case frame
        /// Bytes of what it holds.
        case textSize(expected: Int, found: Int)
        /// Rows of what it holds.
        case rows(expected: Int, found: Int)
        /// The manifest is not there or is none.
        case manifest
        /// The manifest and the database say different things.
        case manifestDiffers
    }
}

extension ArchiveError: CustomStringConvertible {
    /// One line for a log and for people; the path is in it.
    public var description: String {
        switch self {
        case .disk(let operation, let path, let code):
            "\(path): \(operation) failed: \(Descriptor.text(ofErrno: code))"
        case .damaged(let path, let damage): "\(path): \(damage)"
        case .foreign(let path): "\(path): is there already and belongs to another database"
        case .rowsDiffer(let partition, let counted, let copied):
            "\(partition): \(counted) rows were counted and \(copied) copied"
        case .directoryMissing:
            "days were archived before, and SLUICE_ARCHIVE_DIRECTORY is blank: nothing is dropped. "
                + "Set it, or set it to none to drop days from now on"
        case .busy: "another process works on the archive"
        case .notThere(let path):
            "\(path): there is no such directory. If it is a disk, mount it; if it is to be new, "
                + "make it, for the user that runs sluice alone"
        case .clocksDiffer(let seconds):
            "the database's clock is \(abs(seconds)) s \(seconds > 0 ? "ahead of" : "behind") this "
                + "node's: nothing leaves until both are right"
        case .todayDoubtful(let today, let newest, let days):
            "the database's today is \(today) and the newest reading is of \(newest ?? "no day"): "
                + "is its clock right? \(days) days of tables stay until newer readings come, or until you "
                + "have looked at it and run `sluice archive run --trust-clock`"
        case .emptied(let path):
            "\(path): files were written there and none is there: is it mounted?"
        case .elsewhere(let file, let origin):
            "\(file) (written to \(origin)) is to be removed and is not in this directory: run "
                + "`sluice archive run` where it is"
        }
    }
}

extension ArchiveError.Damage: CustomStringConvertible {
    /// A few words.
    public var description: String {
        switch self {
        case .missing: "is not there"
        case .size(let expected, let found): "has \(found) bytes, \(expected) were written"
        case .checksum: "its SHA-256 is not that of the file that was written"
        case .frame: "is no whole LZ4 frame"
        case .textSize(let expected, let found): "holds \(found) bytes, \(expected) were written"
        case .rows(let expected, let found): "holds \(found) rows, \(expected) were written"
        case .manifest: "the manifest is not there or can't be read"
        case .manifestDiffers: "the manifest says something else than the database"
        }
    }
}
