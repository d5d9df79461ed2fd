import Foundation

/// The body of `generateContent`.
///
/// - Source: the service's REST reference, `models.generateContent`: `contents`,
///   `systemInstruction`, `generationConfig` with `responseMimeType` and `responseSchema`.
struct GeminiRequest: Encodable {
    struct Content: Encodable {
        var role = "user"
        var parts: [Part]
    }

    struct Part: Encodable {
        var text: String?
        var inlineData: Blob?

        enum CodingKeys: String, CodingKey {
            case text
            case inlineData = "inline_data"
        }
    }

    struct Blob: Encodable {
        var mimeType: String
        var data: String

        enum CodingKeys: String, CodingKey {
            case mimeType = "mime_type"
            case data
        }
    }

    struct Generation: Encodable {
        var temperature: Double
        var candidateCount = 1
        var maxOutputTokens: Int
        var responseMimeType = "application/json"
        var responseSchema: GeminiSchema
    }

    private var systemInstruction: Content
    private var contents: [Content]
    private var generationConfig: Generation

    init(_ question: GeminiQuestion) {
        systemInstruction = Content(parts: [Part(text: question.instruction)])
        contents = [
            Content(
                parts: question.parts.map { part in
                    switch part {
                    case .text(let text): Part(text: text)
                    case .file(let contentType, let bytes):
                        Part(
                            inlineData: Blob(
                                mimeType: contentType, data: Data(bytes).base64EncodedString()))
                    }
                })
        ]
        generationConfig = Generation(
            temperature: question.temperature, maxOutputTokens: question.outputTokensMax,
            responseSchema: question.schema)
    }

    /// The body as JSON in UTF-8.
    func encoded() -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(self))
        } catch {
            preconditionFailure("BUG: a request that can't be encoded")
        }
    }
}

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

/// The form of an answer, in the subset of OpenAPI's schemas that the service supports.
///
/// A schema can't express every rule, such as the length of a text. The caller must check those in
/// the answer.
public final class GeminiSchema: Encodable, Sendable {
    private let type: String
    private let isNullable: Bool?
    private let format: String?
    private let words: [String]?
    private let properties: [String: GeminiSchema]?
    private let required: [String]?
    private let items: GeminiSchema?
    private let minItems: Int?
    private let maxItems: Int?
    private let minimum: Double?
    private let maximum: Double?

    private enum CodingKeys: String, CodingKey {
        case type
        case isNullable = "nullable"
        case format
        case words = "enum"
        case properties, required, items, minItems, maxItems, minimum, maximum
    }

    private init(
        _ type: String, isNullable: Bool = false, words: [String]? = nil,
        properties: [String: GeminiSchema]? = nil, items: GeminiSchema? = nil,
        count: ClosedRange<Int>? = nil, range: ClosedRange<Double>? = nil
    ) {
        self.type = type
        self.isNullable = isNullable ? true : nil
        format = words == nil ? nil : "enum"
        self.words = words
        self.properties = properties
        required = properties.map { $0.keys.sorted() }
        self.items = items
        minItems = count?.lowerBound
        maxItems = count?.upperBound
        minimum = range?.lowerBound
        maximum = range?.upperBound
    }

    /// Any text.
    public static let text = GeminiSchema("STRING")
    /// Any text, or null.
    public static let textOrNull = GeminiSchema("STRING", isNullable: true)

    /// A text that is one of these words.
    public static func word(of words: [String]) -> GeminiSchema {
        GeminiSchema("STRING", words: words)
    }

    /// A number in a closed range, or null if `isNullable`.
    public static func number(
        _ range: ClosedRange<Double>, isNullable: Bool = false
    ) -> GeminiSchema {
        GeminiSchema("NUMBER", isNullable: isNullable, range: range)
    }

    /// An array whose elements follow one schema; `count` bounds their number.
    public static func list(of items: GeminiSchema, count: ClosedRange<Int>) -> GeminiSchema {
        GeminiSchema("ARRAY", items: items, count: count)
    }

    /// An object in which every property is required.
    public static func object(_ properties: [String: GeminiSchema]) -> GeminiSchema {
        GeminiSchema("OBJECT", properties: properties)
    }
}

/// The fields of the answer to `generateContent` that are used.
///
/// - Source: the service's REST reference, `GenerateContentResponse`.
struct GeminiAnswer: Decodable {
    struct Candidate: Decodable {
        var content: Content?
        var finishReason: String?
    }

    struct Content: Decodable {
        var parts: [Part]?
    }

    struct Part: Decodable {
        var text: String?
        var thought: Bool?
    }

    struct Feedback: Decodable {
        var blockReason: String?
    }

    var candidates: [Candidate]?
    var promptFeedback: Feedback?

    /// The model's text, without its thoughts.
    static func text(in body: [UInt8]) throws(GeminiFailure) -> String {
        guard let answer = try? JSONDecoder().decode(Self.self, from: Data(body)) else {
            throw .answerMalformed
        }
        if let reason = answer.promptFeedback?.blockReason { throw .declined(word(reason)) }
        guard let candidate = answer.candidates?.first else { throw .answerMalformed }
        let reason = candidate.finishReason ?? "STOP"
        guard reason == "STOP" else { throw .declined(word(reason)) }
        return (candidate.content?.parts ?? []).filter { $0.thought != true }
            .compactMap(\.text).joined()
    }

    /// A reason in the service's documented form: capital letters and underscores. Any other text
    /// becomes `OTHER`, because it could contain users' data.
    private static func word(_ reason: String) -> String {
        let isWord =
            reason.count <= 64
            && reason.utf8.allSatisfy { (65...90).contains($0) || $0 == UInt8(ascii: "_") }
        return isWord ? reason : "OTHER"
    }
}
