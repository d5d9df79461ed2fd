/// The form of a system's errors, as a value. The systems are separate products with separate
/// clients, on one server.
public struct ErrorEnvelope: Sendable {
    /// The JSON text of an error.
    let text: @Sendable (ErrorProblem) -> String
    /// The error as a message of Protocol Buffers, for clients that sent one; nil: they get JSON.
    let protobuf: (@Sendable (ErrorProblem) -> [UInt8])?

    /// - Parameters:
    ///   - text: a whole JSON text.
    ///   - protobuf: a whole message, for clients that sent one.
    public init(
        _ text: @escaping @Sendable (ErrorProblem) -> String,
        protobuf: (@Sendable (ErrorProblem) -> [UInt8])? = nil
    ) {
        self.text = text
        self.protobuf = protobuf
    }
}
