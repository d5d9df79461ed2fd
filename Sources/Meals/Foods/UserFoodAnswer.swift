/// What a route about a user's food says.
public enum UserFoodAnswer: Sendable, Equatable {
    /// It is done, and this is the whole body; empty where there is none.
    case done(json: String)
    /// It is somebody else's; 403.
    case foreign
    /// There is none; 404.
    case notFound
    /// The user has a food of that name; 409.
    case nameTaken
    /// The user has ``Meals/userFoodsMax`` of them; 409.
    case tooMany
}
