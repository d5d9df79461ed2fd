import Captures
public import Readings

/// A capture with its analysis. Hours and days are made of these.
public struct AnalysedCapture: Sendable, Equatable {
    /// The capture's key.
    public var captureID: String
    /// The time of the capture.
    public var time: Timestamp
    /// The capture's photo, as the app sent its URL; nil without one.
    public var photoURL: String?
    /// The capture's analysis.
    public var analysis: CaptureAnalysis

    /// Takes all fields.
    public init(captureID: String, time: Timestamp, photoURL: String?, analysis: CaptureAnalysis) {
        self.captureID = captureID
        self.time = time
        self.photoURL = photoURL
        self.analysis = analysis
    }

    /// What the app calls the capture: its key up to the tilde, which no id has.
    var clientID: String { String(captureID.prefix { $0 != "~" }) }

    /// What happened, as a whole sentence; with the time if nothing was said.
    func event(_ calendar: UserCalendar) -> String {
        let moment = analysis.keyMoment
        return Sentence.ended(
            LocalAnalyser.isSilent(moment) ? "\(moment) at \(calendar.clock(time))" : moment)
    }

    /// The people named or recognised, each once.
    var people: [String] {
        Tally.once(
            analysis.mentionedNames + analysis.detectedFaces.compactMap(\.possibleName),
            key: FoldedName.key)
    }

    /// Sorted by time, and by id for equal times.
    static func ordered(_ captures: [AnalysedCapture]) -> [AnalysedCapture] {
        captures.sorted { ($0.time, $0.captureID) < ($1.time, $1.captureID) }
    }
}
