public import NIOCore

/// Consumes the body of a form, piece by piece. The owner calls ``abort()`` unless ``finish()`` has
/// returned.
public protocol UploadIntake {
    /// What the body comes to.
    associatedtype Outcome: Sendable

    /// Takes the next piece. Returns when the store has it.
    mutating func take(_ chunk: ByteBuffer) async throws

    /// The body has ended.
    mutating func finish() async throws -> Outcome

    /// Discards everything.
    mutating func abort() async
}
