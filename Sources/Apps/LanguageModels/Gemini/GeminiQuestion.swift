/// A question to the model, and the schema of its answer.
public struct GeminiQuestion: Sendable {
    /// A part of the question's data.
    public enum Part: Sendable {
        /// Text in the form that the instruction describes.
        case text(String)
        /// A file; it is sent in base 64, which makes it a third larger.
        case file(contentType: String, bytes: [UInt8])
    }

    /// What to do with the parts. It must never contain text that a user wrote.
    public var instruction: String
    /// The users' data: texts and photos.
    public var parts: [Part]
    /// The schema that the answer must follow.
    public var schema: GeminiSchema
    /// The model's randomness. With 0 the answers to the same question differ as little as the
    /// service allows.
    public var temperature = 0.2
    /// The length limit of the answer in tokens. The service cuts a longer answer, which is then a
    /// failure: `MAX_TOKENS`.
    public var outputTokensMax = 4096

    /// A question with the default temperature and length limit.
    public init(instruction: String, parts: [Part], schema: GeminiSchema) {
        self.instruction = instruction
        self.parts = parts
        self.schema = schema
    }
}
