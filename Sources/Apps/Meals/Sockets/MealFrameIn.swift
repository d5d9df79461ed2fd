/// A decoded frame from a client.
public enum MealFrameIn: Sendable, Equatable {
    /// A ping; the answer is a pong.
    case ping
    /// A message that describes a meal.
    case message(MealMessage)
}
