import MediaStorage
import NIOCore

/// What takes a form's body, piece by piece. Whoever makes one calls ``abort()`` unless ``finish()``
/// returned.
protocol UploadIntake {
    associatedtype Outcome: Sendable

    /// Returns when the store has it.
    mutating func take(_ chunk: ByteBuffer) async throws

    /// The body has ended.
    mutating func finish() async throws -> Outcome

    /// Keeps nothing of it.
    mutating func abort() async
}
