/// News for a user's meal sockets, as it comes from the notice board or from `sluice.undelivered`.
public struct MealResult: Sendable, Equatable {
    /// The notices' topic.
    public static let topic = "meal"

    /// The row to be deleted when a socket has had the frame; nil: it is told to those who are
    /// there, and not kept.
    public let id: Int64?
    /// Only sockets of this consultation get it; nil: all of the user's.
    public let consultation: String?
    /// The text to send.
    public let frame: String

    /// - Parameter payload: as `sluice.finish_meal_log` and `sluice.drop_meal_message` write it: row
    ///   or dash, consultation or dash, a line break, the frame. Nil for anything else.
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
        consultation = head[1] == "-" ? nil : String(head[1])
        frame = String(payload[payload.utf8.index(after: end)...])
    }

    init(id: Int64, frame: String) {
        self.id = id
        consultation = nil
        self.frame = frame
    }
}
