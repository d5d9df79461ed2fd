import Foundation

/// The directory that holds what this node keeps outside of the tables.
///
/// | name | what |
/// |---|---|
/// | `sluice.lock` | held by the one process that runs the private cluster; says which |
/// | `postgres` | the private cluster |
/// | `spool` | batches that the database has not taken yet; one process at a time |
/// | `era` | which database server was written to last; see `EraBook` |
/// | `media` | uploaded files, unless `MEDIA_STORE` says otherwise |
/// | `staging` | uploads on their way to a bucket |
/// | `ingest.key` | the key made when none was configured, mode 0600 |
public struct DataDirectory: Sendable {
    /// Absolute, without `.` and `..`.
    public let path: String

    /// - Parameter path: absolute or relative to the working directory.
    public init(_ path: String) {
        self.path = URL(fileURLWithPath: path).standardizedFileURL.path
    }

    /// Where the key is that the server made.
    public var keyPath: String { path + "/ingest.key" }

    /// Where batches wait for a database that is away.
    public var spoolPath: String { path + "/spool" }

    /// What is known of the server that was written to.
    public var eraPath: String { path + "/era" }

    /// A file that every private cluster has.
    var clusterMarkPath: String { path + "/postgres/data/PG_VERSION" }

    /// Where uploaded files are, unless they are kept elsewhere.
    var mediaPath: String { path + "/media" }

    /// Where uploads wait until a bucket has them.
    var stagingPath: String { path + "/staging" }

    /// Makes the directory where it is missing. Others may pass through it, for the cluster's files
    /// belong to another user when this process is root's; each file in it has its own mode.
    func create() throws(StartFailure) {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o755])
        } catch {
            throw .dataDirectoryUnusable(path: path)
        }
    }
}
