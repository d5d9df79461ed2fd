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
