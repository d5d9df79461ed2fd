import Fleet
import Foundation
import Load

/// What the sockets of a run send, and whether what comes back is the answer to it.
final class CaptureTalk: SocketWorkload {
    let model: CaptureModel
    /// Captures sent on each socket, and those of them that are acknowledged or refused.
    private(set) var sent: [Int]
    private var answered: [Int]
    /// The first text that was neither an acknowledgement nor news.
    private(set) var complaint: String?

    init(_ model: CaptureModel, sockets: Int) {
        self.model = model
        sent = Array(repeating: 0, count: sockets)
        answered = sent
    }

    func path(of socket: Int) -> String { "/ws/ios/\(model.user(socket))" }

    func next(of socket: Int, into text: inout ByteWriter) -> Bool {
        text.put(text: model.frame(socket, sent[socket]))
        sent[socket] += 1
        return true
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

    /// Searched as bytes: the client shares its processors with what it measures.
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
