import MediaStorage
import NIOCore

/// A file that may be sent, and the head of its answer but for what belongs to the connection.
struct ReadyFile: Sendable {
    /// Complete lines, without length and date.
    let fields: ByteBuffer
    let bytes: Int
    /// Keeps the descriptor open.
    let source: any MediaSource
    let descriptor: CInt
}
