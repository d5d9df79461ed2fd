public import Gemini

/// Finds out what a capture is about.
public protocol Analyser: Sendable {
    /// Stands beside each stored analysis: `local`, `gemini`.
    var name: String { get }

    /// Answers with an analysis that keeps to ``CaptureAnalysis/Limits``.
    ///
    /// - Throws: ``AnalyserFailure`` when there is none to be had now.
    func analyse(_ input: AnalysisInput) async throws(AnalyserFailure) -> CaptureAnalysis
}

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
