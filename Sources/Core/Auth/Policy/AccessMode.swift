import Synchronization

/// What callers without a token or a key may use, apart from `/ingest`, which always requires its
/// key.
public enum AccessMode: Sendable {
    case nothing
    /// Routes of apps that name the user in the path; see ``AccessConfiguration/trustsPathUser``.
    case userInPath
    case everything
}
