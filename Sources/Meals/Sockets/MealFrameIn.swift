/// A frame that a client sent on a meal socket.
public enum MealFrameIn: Sendable, Equatable {
    /// To be answered with a pong.
    case ping
    /// Something that was written.
    case message(MealMessage)
}
