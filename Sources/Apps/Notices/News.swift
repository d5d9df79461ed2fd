/// A message that a user must get: from the notice board if a socket is open, otherwise, or if no
/// client has confirmed it, from `sluice.undelivered` at the next connect.
public struct News: Sendable, Equatable {
    /// The row to delete once a client has confirmed the frame.
    public let id: Int64
    /// Only sockets that were opened for this subject, such as a consultation, get it; nil: all
    /// sockets of the user.
    public let subject: String?
    /// The text to send.
    public let frame: String

    /// - Parameter payload: of a notice, as `sluice.tell_user` writes it: row, subject or dash, a
    ///   line break, the frame. Nil for anything else.
    public init?(noticePayload payload: String) {
        guard let end = payload.utf8.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let head = payload[..<end].split(separator: " ", omittingEmptySubsequences: false)
        guard head.count == 2, let row = Int64(head[0]) else { return nil }
        id = row
        subject = head[1] == "-" ? nil : String(head[1])
        frame = String(payload[payload.utf8.index(after: end)...])
    }

    init(id: Int64, subject: String?, frame: String) {
        self.id = id
        self.subject = subject
        self.frame = frame
    }
}
