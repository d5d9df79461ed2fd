public import Auth

/// What an operator needs to know once the server accepts clients.
public struct Announcement: Sendable {
    /// The origin of the keys for `POST /ingest`.
    public enum Keys: Sendable {
        /// From `SLUICE_INGEST_API_KEY`.
        case configured(count: Int)
        /// Generated at this start and shown only now; kept in the file.
        case made(Secret, path: String)
        /// Generated at an earlier start; kept in the file.
        case kept(path: String)
    }

    /// Where readings are stored.
    public enum Store: Sendable {
        /// In the private cluster.
        ///
        /// `analystPort`: on 127.0.0.1; nil: analysts can't connect.
        case privateCluster(home: String, isNew: Bool, analystPort: Int?)
        /// In the operator's server; without its password.
        case server(host: String, database: String)
    }

    /// The configured host.
    public let host: String
    /// The port in use, even if the system chose it.
    public let port: Int
    /// Whether the port speaks TLS only.
    public let isSecure: Bool
    /// An absolute path.
    public let dataDirectory: String
    /// The database that holds the readings.
    public let store: Store
    /// Never contains a configured key.
    public let keys: Keys
    /// What users' apps may use without credentials.
    public let openness: AccessMode
}
