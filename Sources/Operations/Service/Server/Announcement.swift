public import Access

/// What an operator wants to know once clients can come in.
public struct Announcement: Sendable {
    /// Where the keys for `POST /ingest` are from.
    public enum Keys: Sendable {
        /// `INGEST_API_KEY`.
        case configured(count: Int)
        /// Made at this start, and shown this once; kept in the file.
        case made(Secret, path: String)
        /// Made at an earlier start; kept in the file.
        case kept(path: String)
    }

    /// Where the readings go.
    public enum Store: Sendable {
        /// The private cluster's home.
        ///
        /// `analystPort`: on 127.0.0.1; nil: analysts can't come in.
        case privateCluster(home: String, isNew: Bool, analystPort: Int?)
        /// The operator's server, without password.
        case server(host: String, database: String)
    }

    /// As configured.
    public let host: String
    /// The one in use, also when the system chose it.
    public let port: Int
    /// It speaks TLS only.
    public let isSecure: Bool
    /// Absolute.
    public let dataDirectory: String
    /// Private or not.
    public let store: Store
    /// Never a configured key.
    public let keys: Keys
    /// What users' apps may use without showing anything.
    public let openness: Openness
}
