/// The answer of a route, in the contract's envelope.
public struct MemoryAnswer: Sendable, Equatable {
    /// The envelope's `status`.
    public enum Status: String, Sendable {
        case success
        case exists
        case notFound = "not_found"
    }

    /// The outcome, which decides the HTTP status.
    public let status: Status
    /// The whole response body.
    public let json: String
}
