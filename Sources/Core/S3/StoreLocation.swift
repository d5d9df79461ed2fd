/// The parsed text of a setting that says where files are kept.
public enum StoreLocation: Sendable, Equatable {
    /// A directory on this host.
    case directory(path: String)
    /// A bucket on a server that speaks S3.
    case bucket(S3Bucket)

    /// Reads `file:/path`, `file:///path` or
    /// `s3://bucket[/prefix][?endpoint=http[s]://host[:port]][&region=…]`. The scheme may have
    /// capitals.
    ///
    /// - Throws: the fault, without the text, which may hold a secret by mistake.
    public static func parse(_ given: String) throws(StoreLocationError) -> Self {
        let scheme = given.prefix { $0 != ":" }
        let text = scheme.lowercased() + given[scheme.endIndex...]
        if text.hasPrefix("file:") {
            var path = String(text.dropFirst("file:".count))
            if path.hasPrefix("//") { path = String(path.dropFirst(2)) }
            guard path.hasPrefix("/"), !path.utf8.contains(0) else { throw .pathNotAbsolute }
            return .directory(path: path)
        }
        guard text.hasPrefix("s3://") else { throw .schemeUnknown }
        return .bucket(try S3Bucket(parsing: text.dropFirst("s3://".count)))
    }
}
