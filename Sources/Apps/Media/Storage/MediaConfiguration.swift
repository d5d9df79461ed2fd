public import S3

/// Where files are stored, and with what limits.
public struct MediaConfiguration: Sendable {
    /// `file:/path` or `s3://bucket/prefix?endpoint=…&region=…`; see ``S3/StoreLocation``.
    public var location: StoreLocation
    /// For a bucket: the keys that sign requests; nil for a server that needs none. Never shown.
    public var credentials: S3Credentials?
    /// For a bucket: the local directory where uploads are staged until their digest is known.
    public var stagingDirectory = "/var/tmp"
    /// The time after `finish()` within which a row may be committed. A longer time keeps unnamed
    /// objects longer. Default six hours: a failover may lose a commit, and then the row is written
    /// again.
    public var graceTime: Duration = .seconds(21_600)
    /// Threads that read and write files; each may block on the disk. With more threads, the file
    /// system can combine the syncs of more uploads. Default 16.
    public var diskThreads = 16

    /// - Parameter location: has no default, because the data directory or the operator decides it.
    public init(location: StoreLocation) {
        self.location = location
    }
}
