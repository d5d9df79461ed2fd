import Auth
import HTTP
import Meals

/// The user for whom a caller of meal logs acts, if the path names none.
enum ActingUser {
    /// The user of anonymous callers who name no user.
    static let nobody = "local"

    /// With a token, or a key that is bound to a user, the user is its own; other API-key callers and
    /// anonymous ones may act for any user, whom the query's `user_id` names.
    ///
    /// - Parameter named: the query's `user_id`. With a token it may only repeat the token's user.
    /// - Throws: ``RequestFailure/forbidden``, ``RequestFailure/userMissing``,
    ///   ``RequestFailure/userInvalid``.
    static func of(_ caller: Caller, named: String?) throws(RequestFailure) -> String {
        if let named, !caller.mayReach(named) { throw .forbidden }
        let user: String
        switch caller {
        case .anybody: user = named ?? nobody
        case .user, .key:
            guard let owner = caller.user ?? named else { throw .userMissing }
            user = owner
        }
        guard Meals.isUserID(user) else { throw .userInvalid }
        return user
    }
}
