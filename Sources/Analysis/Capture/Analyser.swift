/// Finds out what a capture is about.
public protocol Analyser: Sendable {
    /// Stands beside each stored analysis: `local`, `gemini`.
    var name: String { get }

    /// Answers with an analysis that keeps to ``CaptureAnalysis/Limits``.
    ///
    /// - Throws: ``AnalyserFailure`` when there is none to be had now.
    func analyse(_ input: AnalysisInput) async throws(AnalyserFailure) -> CaptureAnalysis
}
