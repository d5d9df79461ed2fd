import Foundation

/// The answer to `generateContent`, as far as it is used.
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

    /// What the model said, its thoughts left out.
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

    /// A reason as the service documents them: capital letters and underscores. Anything else
    /// could be text of somebody's.
    private static func word(_ reason: String) -> String {
        let isWord =
            reason.count <= 64
            && reason.utf8.allSatisfy { (65...90).contains($0) || $0 == UInt8(ascii: "_") }
        return isWord ? reason : "OTHER"
    }
}
