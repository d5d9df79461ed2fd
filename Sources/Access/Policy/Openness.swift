/// What callers who show neither token nor key may use, but for `/ingest`, which always wants its key.
public enum Openness: Sendable {
    case nothing
    /// Routes of apps that name the user in the path; see ``AccessConfiguration/trustsPathUser``.
    case userInPath
    case everything
}
