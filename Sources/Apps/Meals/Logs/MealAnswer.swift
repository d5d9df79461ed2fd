/// The answer of a route about one object of a user.
public enum MealAnswer: Sendable, Equatable {
    /// The request succeeded. `json` is the whole body; empty if there is none.
    case done(json: String)
    /// The object is another user's; status 403.
    case foreign
    /// There is no such object; status 404.
    case notFound
}
