/// The form of a system's errors, as a value. The systems are separate products with separate
/// clients, on one server.
public struct ErrorEnvelope: Sendable {
    /// The JSON text of an error.
    let text: @Sendable (ErrorProblem) -> String

    /// - Parameter text: a whole JSON text.
    public init(_ text: @escaping @Sendable (ErrorProblem) -> String) {
        self.text = text
    }
}
