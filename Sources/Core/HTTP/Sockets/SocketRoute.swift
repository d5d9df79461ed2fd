import Auth

/// Where a client wants to connect, according to the path.
public struct SocketRoute: Sendable, Equatable {
    /// The user of the socket; nil if only the token can tell.
    public var user: String?
    /// A further name in the path, such as a consultation.
    public var subject: String?
    /// The query's `user_id`, for callers who may act for any user, if the path names none.
    public var namedUser: String?

    /// - Parameters:
    ///   - user: nil if only the token can tell.
    ///   - subject: a further name in the path.
    public init(user: String?, subject: String? = nil) {
        self.user = user
        self.subject = subject
    }
}
