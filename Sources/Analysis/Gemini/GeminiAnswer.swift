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

    /// The analysis in an answer, tidied and checked.
    static func analysis(in body: [UInt8]) throws(AnalyserFailure) -> CaptureAnalysis {
        guard let answer = try? JSONDecoder().decode(Self.self, from: Data(body)) else {
            throw .answerMalformed
        }
        if let reason = answer.promptFeedback?.blockReason { throw .declined(word(reason)) }
        guard let candidate = answer.candidates?.first else { throw .answerMalformed }
        let reason = candidate.finishReason ?? "STOP"
        guard reason == "STOP" else { throw .declined(word(reason)) }
        let text = (candidate.content?.parts ?? []).filter { $0.thought != true }
            .compactMap(\.text).joined()
        guard let found = try? JSONDecoder().decode(CaptureAnalysis.self, from: Data(text.utf8))
        else { throw .answerMalformed }
        do {
            return try found.tidied().checked()
        } catch {
            throw .answerInvalid(error)
        }
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

extension CaptureAnalysis {
    /// Without white space at the ends, moods and themes in lower case, nothing twice, and nil
    /// for the ways in which models say that there is nothing.
    func tidied() -> CaptureAnalysis {
        var tidy = self
        tidy.imageSummary = imageSummary.flatMap(Self.meant)
        tidy.location = location.flatMap(Self.meant)
        tidy.themes = Self.once(themes.map { Self.trimmed($0).lowercased() })
        tidy.mood = Self.trimmed(mood).lowercased()
        tidy.mentionedNames = Self.once(mentionedNames.map(Self.trimmed))
        tidy.keyMoment = Self.trimmed(keyMoment)
        tidy.detectedFaces = detectedFaces.map {
            DetectedFace(
                description: Self.trimmed($0.description),
                possibleName: $0.possibleName.flatMap(Self.meant), confidence: $0.confidence)
        }
        return tidy
    }

    private static func trimmed(_ text: String) -> String {
        text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static func meant(_ text: String) -> String? {
        let text = trimmed(text)
        let nothing: Set<String> = ["", "unknown", "none", "null", "n/a", "not specified"]
        return nothing.contains(text.lowercased()) ? nil : text
    }

    /// The first of those that are equal but for case.
    private static func once(_ texts: [String]) -> [String] {
        var seen: Set<String> = []
        return texts.filter { seen.insert($0.lowercased()).inserted }
    }
}
