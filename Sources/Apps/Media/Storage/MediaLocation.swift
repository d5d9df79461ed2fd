/// The setting `MEDIA_STORE`, read.
public enum MediaLocation: Sendable, Equatable {
    /// A directory on this host.
    case directory(path: String)
    /// A bucket that speaks S3.
    case bucket(S3Bucket)

    /// Reads `file:/path`, `file:///path` or
    /// `s3://bucket[/prefix][?endpoint=http[s]://host[:port]][&region=…]`.
    ///
    /// - Throws: what is wrong with it, without repeating the text: it may hold a secret by mistake.
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

    /// Opens the store. A directory is made where it is missing; a bucket is not asked for anything
    /// yet.
    ///
    /// - Throws: ``MediaStoreError`` for a directory that can't be used.
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

/// What is wrong with a `MEDIA_STORE`.
public enum MediaLocationError: Error, Equatable, Sendable {
    /// Neither `file:` nor `s3:`.
    case schemeUnknown
    /// `file:` without a path from the root.
    case pathNotAbsolute
    /// Not 3 to 63 small letters, digits, hyphens and dots.
    case bucketInvalid
    /// A prefix with characters that S3 advises against.
    case prefixInvalid
    /// Not `http://` or `https://` and a host, or with a path, a query or a user.
    case endpointInvalid
    /// Not small letters, digits and hyphens.
    case regionInvalid
    /// A parameter other than `endpoint` and `region`, or one of them twice.
    case parameterUnknown
}

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
