import Foundation

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
