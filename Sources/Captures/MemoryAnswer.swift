/// What a read route says, in the contract's envelope.
public struct MemoryAnswer: Sendable, Equatable {
    /// The envelope's `status`.
    public enum Status: String, Sendable {
        case success
        case exists
        case notFound = "not_found"
    }

    /// For whoever decides about an HTTP status.
    public let status: Status
    /// The whole body.
    public let json: String
}
