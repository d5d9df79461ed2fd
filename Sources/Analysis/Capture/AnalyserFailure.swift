public import Gemini

/// Why an analyser has no answer. Carries nothing of the request, its key or the answer's text.
public enum AnalyserFailure: Error, Equatable, Sendable {
    /// The model could not be asked, or said nothing that can be read.
    case model(GeminiFailure)
    /// The model's answer breaks a rule of ours.
    case answerInvalid(AnalysisFault)

    /// For the column `error`: short, stable, without secrets.
    public var word: String {
        switch self {
        case .model(let failure): failure.word
        case .answerInvalid: "answer_invalid"
        }
    }

    /// How long the service, or the budget, asks us to stay away.
    public var retryAfter: Duration? {
        switch self {
        case .model(let failure): failure.retryAfter
        case .answerInvalid: nil
        }
    }
}
