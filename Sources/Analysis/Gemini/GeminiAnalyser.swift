import Foundation
public import Gemini

/// Asks a model: photo and text in, an analysis out.
///
/// What the model says has to keep to ``CaptureAnalysis/Limits``; time-outs, retries and the budget
/// are the client's.
public struct GeminiAnalyser: Analyser {
    private let client: GeminiClient

    /// `gemini`
    public var name: String { "gemini" }

    /// - Parameter client: shares its budget with whoever else has it.
    public init(_ client: GeminiClient) {
        self.client = client
    }

    /// One question; see ``GeminiClient/ask(_:as:within:)``.
    public func analyse(
        _ input: AnalysisInput
    ) async throws(AnalyserFailure) -> CaptureAnalysis {
        let question = GeminiQuestion(input, imageBytesMax: client.imageBytesMax)
        let found: CaptureAnalysis
        do throws(GeminiFailure) {
            found = try await client.ask(question, as: CaptureAnalysis.self)
        } catch {
            throw .model(error)
        }
        do {
            return try found.tidied().checked()
        } catch {
            throw .answerInvalid(error)
        }
    }
}
