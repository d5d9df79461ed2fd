/// Finds what a capture is about.
public protocol Analyser: Sendable {
    /// Stored with each analysis: `local`, `gemini`.
    var name: String { get }

    /// Returns an analysis that complies with ``CaptureAnalysis/Limits``.
    ///
    /// - Throws: ``AnalyserFailure`` when there is no analysis now.
    func analyse(_ input: AnalysisInput) async throws(AnalyserFailure) -> CaptureAnalysis
}
