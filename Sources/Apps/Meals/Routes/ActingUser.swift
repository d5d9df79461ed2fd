import Auth
import HTTP
import Meals

/// The user for whom a caller of meal logs acts, if the path names none.
enum ActingUser {
    /// The user of anonymous callers who name no user.
    static let nobody = "local"

    /// With a token, the user is the token's; API-key and anonymous callers may act for any user,
    /// whom the query's `user_id` names.
    ///
    /// - Parameter named: the query's `user_id`. With a token it may only repeat the token's user.
    /// - Throws: ``RequestFailure/forbidden``, ``RequestFailure/userMissing``,
    ///   ``RequestFailure/userInvalid``.
    static func of(_ caller: Caller, named: String?) throws(RequestFailure) -> String {
        if let named, !caller.mayReach(named) { throw .forbidden }
        let user: String
        switch caller {
        case .user(let own, _): user = own
        case .anybody: user = named ?? nobody
        case .key:
            guard let named else { throw .userMissing }
            user = named
        }
        guard Meals.isUserID(user) else { throw .userInvalid }
        return user
    }
}
