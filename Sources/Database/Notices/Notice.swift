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

/// A message that a user gets once: from the notice board if a socket is open, otherwise from
/// `sluice.undelivered` at the next connect.
public struct News: Sendable, Equatable {
    /// The row to delete once the frame was written to a socket; nil when the news is not kept for
    /// users who are not connected.
    public let id: Int64?
    /// Only sockets that were opened for this subject, such as a consultation, get it; nil: all
    /// sockets of the user.
    public let subject: String?
    /// The text to send.
    public let frame: String

    /// - Parameter payload: of a notice, as `sluice.tell_user` and `sluice.drop_meal_message` write
    ///   it: row or dash, subject or dash, a line break, the frame. Nil for anything else.
    public init?(noticePayload payload: String) {
        guard let end = payload.utf8.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let head = payload[..<end].split(separator: " ", omittingEmptySubsequences: false)
        guard head.count == 2 else { return nil }
        if head[0] == "-" {
            id = nil
        } else if let row = Int64(head[0]) {
            id = row
        } else {
            return nil
        }
        subject = head[1] == "-" ? nil : String(head[1])
        frame = String(payload[payload.utf8.index(after: end)...])
    }

    init(id: Int64, frame: String) {
        self.id = id
        subject = nil
        self.frame = frame
    }
}
