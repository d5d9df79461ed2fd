import Foundation

/// Makes the captures that the sockets of a run send, and checks the answers.
final class CaptureTalk: SocketWorkload {
    let model: CaptureModel
    /// Captures sent on each socket, and how many of them were acknowledged or refused.
    private(set) var sent: [Int]
    private var answered: [Int]
    /// The first text that was neither an acknowledgement nor a notification.
    private(set) var complaint: String?

    init(_ model: CaptureModel, sockets: Int) {
        self.model = model
        sent = Array(repeating: 0, count: sockets)
        answered = sent
    }

    func path(of socket: Int) -> String { "/ws/ios/\(model.user(socket))" }

    func next(of socket: Int) -> String? {
        defer { sent[socket] += 1 }
        return model.frame(socket, sent[socket])
    }

    func received(_ text: UnsafeRawBufferPointer, on socket: Int) -> SocketNews {
        if Self.holds(text, "\"memory_processed\"") { return .unasked }
        guard answered[socket] < sent[socket] else { return .unasked }
        let id = model.id(socket, answered[socket])
        answered[socket] += 1
        if Self.holds(text, "\"ack\""), Self.holds(text, "\"\(id)\"") { return .acknowledged }
        if complaint == nil { complaint = String(decoding: text, as: UTF8.self) }
        return .refused
    }

    /// Searches bytes instead of parsing, because the client shares the processors with the
    /// server.
    private static func holds(_ text: UnsafeRawBufferPointer, _ part: String) -> Bool {
        var part = part
        return part.withUTF8 { part in
            guard text.count >= part.count else { return false }
            return (0...text.count - part.count).contains { start in
                text[start] == part[0]
                    && memcmp(text.baseAddress! + start, part.baseAddress!, part.count) == 0
            }
        }
    }
}
