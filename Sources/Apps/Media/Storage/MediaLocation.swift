/// The parsed setting `MEDIA_STORE`.
public enum MediaLocation: Sendable, Equatable {
    /// A directory on this host.
    case directory(path: String)
    /// A bucket on a server that speaks S3.
    case bucket(S3Bucket)

    /// Reads `file:/path`, `file:///path` or
    /// `s3://bucket[/prefix][?endpoint=http[s]://host[:port]][&region=…]`.
    ///
    /// - Throws: the fault, without the text, which may hold a secret by mistake.
    public static func parse(_ text: String) throws(MediaLocationError) -> Self {
        if text.hasPrefix("file:") {
            var path = String(text.dropFirst("file:".count))
            if path.hasPrefix("//") { path = String(path.dropFirst(2)) }
            guard path.hasPrefix("/"), !path.utf8.contains(0) else { throw .pathNotAbsolute }
            return .directory(path: path)
        }
        guard text.hasPrefix("s3://") else { throw .schemeUnknown }
        return .bucket(try S3Bucket(parsing: text.dropFirst("s3://".count)))
    }

    /// Opens the store. A missing directory is created. A bucket gets no request yet.
    ///
    /// - Throws: ``MediaStoreError`` when a directory can't be used.
    public static func open(_ configuration: MediaConfiguration) throws(MediaStoreError)
        -> any MediaStore
    {
        switch configuration.location {
        case .directory(let path):
            return try DirectoryStore(
                path: path, graceTime: configuration.graceTime, threads: configuration.diskThreads)
        case .bucket(let bucket):
            return try S3Store(
                bucket, credentials: configuration.credentials,
                stagingDirectory: configuration.stagingDirectory,
                graceTime: configuration.graceTime, threads: configuration.diskThreads)
        }
    }
}

/// A fault in a `MEDIA_STORE`.
public enum MediaLocationError: Error, Equatable, Sendable {
    /// Neither `file:` nor `s3:`.
    case schemeUnknown
    /// `file:` without an absolute path.
    case pathNotAbsolute
    /// Not 3 to 63 lower-case letters, digits, hyphens and dots; or it begins or ends with a dot,
    /// or has two in a row.
    case bucketInvalid
    /// A prefix with other characters than letters, digits, `-`, `.`, `_`, `~` and slashes, with a
    /// component `.` or `..`, or of more than 512 bytes.
    case prefixInvalid
    /// Not `http://` or `https://` and a host; or with a path, a query or a user.
    case endpointInvalid
    /// Not lower-case letters, digits and hyphens.
    case regionInvalid
    /// A parameter other than `endpoint` and `region`, or a repeated one.
    case parameterUnknown
}

/// Where files are stored, and with what limits.
public struct MediaConfiguration: Sendable {
    /// `file:/path` or `s3://bucket/prefix?endpoint=…&region=…`; see ``MediaLocation``.
    public var location: MediaLocation
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
    public init(location: MediaLocation) {
        self.location = location
    }
}
