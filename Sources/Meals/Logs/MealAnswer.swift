/// What a route about one thing of a user says.
public enum MealAnswer: Sendable, Equatable {
    /// It is done, and this is the whole body; empty where there is none.
    case done(json: String)
    /// It is somebody else's; 403.
    case foreign
    /// There is none; 404.
    case notFound
}
