/// On whose behalf a file is inspected: the user, and what shows where the request is from.
///
/// Where no credentials are required, or a key acts for many users, a client may give itself any
/// number of names. Its origin it can't choose.
public struct InspectionClient: Sendable, Hashable {
    /// What a client can't choose at will.
    public enum Origin: Sendable, Hashable {
        /// A user who has shown credentials.
        case user(String)
        /// An API key, by any text that tells it from others.
        case key(String)
        /// A client without credentials, by any text that tells its address from others.
        case address(String)
    }

    /// Whose file it is.
    public let user: String
    /// Where the request is from.
    public let origin: Origin

    /// - Parameter origin: nil for a user who has shown credentials, and for work that nobody waits
    ///   for.
    public init(user: String, of origin: Origin? = nil) {
        self.user = user
        self.origin = origin ?? .user(user)
    }
}
