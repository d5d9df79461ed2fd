/// The keys that sign requests to a bucket's server. Never shown.
public struct S3Credentials: Sendable, Equatable {
    let accessKeyID: String
    let secretAccessKey: String
    let sessionToken: String?

    /// - Parameters:
    ///   - accessKeyID: as in `SLUICE_AWS_ACCESS_KEY_ID`.
    ///   - secretAccessKey: as in `SLUICE_AWS_SECRET_ACCESS_KEY`.
    ///   - sessionToken: as in `SLUICE_AWS_SESSION_TOKEN`, for keys that expire.
    public init(accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil) {
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
        self.sessionToken = sessionToken
    }
}

extension S3Credentials: CustomStringConvertible, CustomReflectable {
    /// A constant text that hides the keys.
    public var description: String { "(hidden)" }
    /// Empty, so that `dump` shows no keys either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
