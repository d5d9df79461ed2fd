/// What the routes of users' apps put up with. Every limit is inclusive.
public struct RouteConfiguration: Sendable {
    /// What the URLs of files begin with, such as `https://memories.example.org`. nil: scheme and
    /// `Host` of the upload that is answered.
    public var publicURL: String?
    /// Bytes of a capture's photo or recording; more gets a 413.
    public var captureBytesMax = 64 * 1024 * 1024
    /// Uploads at a time, over all connections; one more gets a 503. Each takes up to 300 KiB of
    /// memory.
    public var uploadsMax = 256
    /// Bytes that uploads leave free on the file system they are written to, for the spool and the
    /// database that may be there too; with less, uploads get a 507.
    public var freeBytesMin = 2 << 30
    /// What one user may bring in a day; more gets a 429. 0: no limit. Where nobody has to say who he
    /// is, an address counts as a user.
    public var uploadBytesPerDay = 16 << 30
    /// The same in files.
    public var uploadFilesPerDay = 20_000

    /// What a body may have beside the file: boundaries, headers, and parts that nobody asked for.
    static let otherPartsBytesMax = 1024 * 1024

    /// The defaults.
    public init() {}

    /// Whether URLs of files may begin with that.
    public static func isPublicURL(_ text: String) -> Bool {
        PublicURL(configured: text) != nil
    }

    /// What can't work, as field and rule; empty when all is well.
    public var faults: [(field: String, rule: String)] {
        var faults: [(String, String)] = []
        if let publicURL, !Self.isPublicURL(publicURL) {
            faults.append(("publicURL", "http:// or https://, a host, and a path if need be"))
        }
        if captureBytesMax < 1024 { faults.append(("captureBytesMax", "at least 1024")) }
        if freeBytesMin < 0 { faults.append(("freeBytesMin", "not negative")) }
        if uploadBytesPerDay < 0 { faults.append(("uploadBytesPerDay", "not negative")) }
        if uploadFilesPerDay < 0 { faults.append(("uploadFilesPerDay", "not negative")) }
        if !(1...10_000).contains(uploadsMax) { faults.append(("uploadsMax", "1 to 10000")) }
        return faults
    }
}
