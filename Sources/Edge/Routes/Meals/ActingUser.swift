import Access
import Meals

/// For whom a caller of meal logs acts, where the path names nobody.
enum ActingUser {
    /// Whose logs those are of callers who need not say who they are and do not.
    static let nobody = "local"

    /// A token acts for its own user. A key may act for any, and so may everybody where nothing has
    /// to be shown: whom, the query's `user_id` says.
    ///
    /// - Parameter named: the query's `user_id`. Beside a token it may only repeat the token's user.
    /// - Throws: ``RouteFailure/forbidden``, ``RouteFailure/userMissing``, ``RouteFailure/userInvalid``.
    static func of(_ caller: Caller, named: String?) throws(RouteFailure) -> String {
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
