import Files
import Foundation

/// The directory of the data that this node keeps outside the database's tables.
///
/// | name | what |
/// |---|---|
/// | `sluice.lock` | held by the process that runs the private cluster; holds its id |
/// | `postgres` | the private cluster |
/// | `spool` | batches that the database has not accepted yet; one process at a time |
/// | `epoch` | the database server that was written to last; see `EpochFence` |
/// | `media` | uploaded files, unless `SLUICE_MEDIA_STORE` says otherwise |
/// | `staging` | uploads that are not in the bucket yet |
/// | `keys.json` | digests of the issued keys, for a start without the database, mode 0600 |
/// | `ingest.key` | the key made when none was configured, mode 0600 |
public struct DataDirectory: Sendable {
    /// Absolute, without `.` and `..`.
    public let path: String

    /// - Parameter path: absolute or relative to the working directory.
    public init(_ path: String) {
        self.path = URL(fileURLWithPath: path).standardizedFileURL.path
    }

    /// The file of the generated ingest key.
    public var keyPath: String { path + "/ingest.key" }

    /// The file of ``RememberedKeys``.
    var rememberedKeysPath: String { path + "/keys.json" }

    /// The directory of batches that are pending while the database is unreachable.
    public var spoolPath: String { path + "/spool" }

    /// The file of `EpochFence`.
    public var epochPath: String { path + "/epoch" }

    /// A file that exists in every private cluster.
    var clusterMarkPath: String { path + "/postgres/data/PG_VERSION" }

    /// Creates the directory if it is missing. Other users may enter it, because a server started
    /// by root runs the cluster as another user; each file has its own mode.
    ///
    /// Its name survives a power cut then, and so do the names of the directories above it.
    func create() throws(StartFailure) {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o755])
        } catch {
            throw .dataDirectoryUnusable(path: path)
        }
        // Also of directories that are there: a process may have been killed after it had made
        // some of them.
        var made = URL(fileURLWithPath: path).absoluteURL.standardizedFileURL
        while made.path != "/" {
            NameSync.parent(of: made.path)
            made.deleteLastPathComponent()
        }
    }
}
