/// Where files are kept and how carefully.
public struct MediaConfiguration: Sendable {
    /// `file:/path` or `s3://bucket/prefix?endpoint=…&region=…`; see ``MediaLocation``.
    public var location: MediaLocation
    /// For a bucket: who asks. Never shown.
    public var credentials: S3Credentials?
    /// For a bucket: where uploads wait, on a local disk, until their digest is known.
    public var stagingDirectory = "/var/tmp"
    /// How long after `finish()` a row may be committed. Longer keeps rubbish longer. Default an
    /// hour.
    public var graceTime: Duration = .seconds(3600)
    /// Threads that read and write files; each may wait for the disk. More let the file system put
    /// more uploads' syncs into one. Default 16.
    public var diskThreads = 16

    /// - Parameter location: has no default: it is the data directory's or the operator's to say.
    public init(location: MediaLocation) {
        self.location = location
    }
}
