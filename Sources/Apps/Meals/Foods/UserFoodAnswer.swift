/// The answer of a route about a user's food.
public enum UserFoodAnswer: Sendable, Equatable {
    /// The request succeeded. `json` is the whole body; empty if there is none.
    case done(json: String)
    /// The food is another user's; status 403.
    case foreign
    /// There is no such food; status 404.
    case notFound
    /// The user already has a food of that name; status 409.
    case nameTaken
    /// The user already has ``Meals/userFoodsMax`` foods; status 409.
    case tooMany
}
