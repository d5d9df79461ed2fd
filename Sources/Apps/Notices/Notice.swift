/// A message for a user's clients.
public struct Notice: Sendable, Equatable {
    /// Unique. Ids rise, but not in the order of delivery.
    public let id: Int64
    /// Its subject area, such as `memory`: decides which of a user's sockets get it.
    public let topic: String
    /// The user whose sockets get it.
    public let userID: String
    /// The text to send, unchanged.
    public let payload: String

    /// For the board, and for tests of its subscribers.
    public init(id: Int64, topic: String, userID: String, payload: String) {
        self.id = id
        self.topic = topic
        self.userID = userID
        self.payload = payload
    }
}
