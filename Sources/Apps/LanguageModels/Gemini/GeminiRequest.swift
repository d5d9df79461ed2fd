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
