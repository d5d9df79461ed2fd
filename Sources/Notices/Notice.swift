/// Something that a user's clients are to be told.
public struct Notice: Sendable, Equatable {
    /// No two have the same. Rises, though not in the order of delivery.
    public let id: Int64
    /// Whose business it is, such as `memory`: which of a user's sockets get it.
    public let topic: String
    /// Whose sockets get it.
    public let userID: String
    /// The text to send, as it is.
    public let payload: String

    /// For the board, and for tests of its subscribers.
    public init(id: Int64, topic: String, userID: String, payload: String) {
        self.id = id
        self.topic = topic
        self.userID = userID
        self.payload = payload
    }
}
