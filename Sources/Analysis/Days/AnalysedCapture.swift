public import Readings

/// A capture with what was found in it: what hours and days are made of.
public struct AnalysedCapture: Sendable, Equatable {
    /// The capture.
    public var captureID: String
    /// When it was captured.
    public var time: Timestamp
    /// There is a photo of it.
    public var hasPhoto: Bool
    /// What was found in it.
    public var analysis: CaptureAnalysis

    /// All fields at once.
    public init(captureID: String, time: Timestamp, hasPhoto: Bool, analysis: CaptureAnalysis) {
        self.captureID = captureID
        self.time = time
        self.hasPhoto = hasPhoto
        self.analysis = analysis
    }

    /// Named or recognised, each once.
    var people: [String] {
        Tally.once(
            analysis.mentionedNames + analysis.detectedFaces.compactMap(\.possibleName),
            key: Mention.key)
    }

    /// By time, and by id where that is the same.
    static func ordered(_ captures: [AnalysedCapture]) -> [AnalysedCapture] {
        captures.sorted { ($0.time, $0.captureID) < ($1.time, $1.captureID) }
    }
}
