public import Auth

/// An application's decision about an upgrade.
public enum SocketAdmission: Sendable {
    /// Admitted as this user, while the pass holds.
    case admitted(user: String, pass: SocketPass = .endless)
    /// 401, or ``SocketApplication/authenticationError()``.
    case unauthorized
    /// 403; the key lacks this scope, or the caller is another user.
    case forbidden(lacking: KeyScope? = nil)
    /// 403: a browser's page of another site, where no credentials are required.
    case otherSite
    /// 404: the path names something that does not exist.
    case unknown
    /// 400: the caller may act for any user, and neither path nor query names one.
    case userMissing
    /// 503: the decision needs the database, which is unreachable.
    case unavailable
}
