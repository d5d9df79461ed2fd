public import Gemini

/// Why an analyser returned no analysis. Has nothing of the request, its key or the answer's text.
public enum AnalyserFailure: Error, Equatable, Sendable {
    /// The model could not be asked, or its answer could not be read.
    case model(GeminiFailure)
    /// The model's answer breaks a rule of ``CaptureAnalysis``.
    case answerInvalid(AnalysisFault)

    /// A short, stable text without secrets, for the column `error`.
    public var word: String {
        switch self {
        case .model(let failure): failure.word
        case .answerInvalid: "answer_invalid"
        }
    }

    /// How long the service or the budget asks the caller to wait.
    public var retryAfter: Duration? {
        switch self {
        case .model(let failure): failure.retryAfter
        case .answerInvalid: nil
        }
    }
}
