/// What a model is asked, and by which schema it must answer.
public struct GeminiQuestion: Sendable {
    /// A piece of what the question is about.
    public enum Part: Sendable {
        /// Data, in whatever form the instruction says.
        case text(String)
        /// A file; sent in base 64, which is a third more.
        case file(contentType: String, bytes: [UInt8])
    }

    /// What to do with the parts. Never holds anything that a user wrote.
    public var instruction: String
    /// What users wrote and photographed.
    public var parts: [Part]
    /// Of the answer.
    public var schema: GeminiSchema
    /// 0 is the same answer each time, as far as the service can.
    public var temperature = 0.2
    /// A longer answer is cut by the service, and declined with `MAX_TOKENS`.
    public var outputTokensMax = 4096

    /// With the defaults for everything else.
    public init(instruction: String, parts: [Part], schema: GeminiSchema) {
        self.instruction = instruction
        self.parts = parts
        self.schema = schema
    }
}
