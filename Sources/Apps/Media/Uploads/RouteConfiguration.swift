public import HTTP

/// The limits of the routes of users' apps. Every limit is inclusive.
public struct RouteConfiguration: Sendable {
    /// Base of the URLs of files, such as `https://memories.example.org`. nil means the scheme and
    /// `Host` of the upload that is answered.
    public var publicURL: String?
    /// Proxies that say how the client called, for these URLs.
    public var trustedProxies = TrustedProxies.none
    /// Bytes of a capture's photo or recording; a larger one gets a 413.
    public var captureBytesMax = 64 * 1024 * 1024
    /// Concurrent uploads, over all connections; one more gets a 503. Each takes up to 300 KiB of
    /// memory.
    public var uploadsMax = 256
    /// Stored files that are sent at a time, over all connections; one more gets a 503. Each is
    /// open meanwhile.
    public var downloadsMax = 2048
    /// Bytes that uploads leave free on their file system, which the spool and the database may
    /// share; with less, uploads get a 507.
    public var freeBytesMin = 2 << 30
    /// Bytes that one user may upload in a day; more get a 429. 0 means no limit. Where no
    /// credentials are required, an address counts as a user.
    public var uploadBytesPerDay = 16 << 30
    /// Files that one user may upload in a day, in the same way.
    public var uploadFilesPerDay = 20_000

    /// Bytes of a body in addition to the file: boundaries, headers, and parts that are ignored.
    public static let otherPartsBytesMax = 1024 * 1024

    /// Creates a configuration with the defaults.
    public init() {}

    /// Whether this text is a valid base of the URLs of files.
    public static func isPublicURL(_ text: String) -> Bool {
        PublicURL(configured: text) != nil
    }

    /// Invalid settings, each as field and rule; empty if all are valid.
    public var faults: [(field: String, rule: String)] {
        var faults: [(String, String)] = []
        if let publicURL, !Self.isPublicURL(publicURL) {
            faults.append(("publicURL", "http:// or https://, a host, and a path if need be"))
        }
        if captureBytesMax < 1024 { faults.append(("captureBytesMax", "at least 1024")) }
        if freeBytesMin < 0 { faults.append(("freeBytesMin", "not negative")) }
        if uploadBytesPerDay < 0 { faults.append(("uploadBytesPerDay", "not negative")) }
        if uploadFilesPerDay < 0 { faults.append(("uploadFilesPerDay", "not negative")) }
        if downloadsMax < 1 { faults.append(("downloadsMax", "at least 1")) }
        if !(1...10_000).contains(uploadsMax) { faults.append(("uploadsMax", "1 to 10000")) }
        return faults
    }
}
