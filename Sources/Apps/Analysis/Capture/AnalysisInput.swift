public import Media
public import Readings

/// What an analyser is given of one capture.
public struct AnalysisInput: Sendable {
    /// What was said; nil when nothing was transcribed.
    public var transcription: String?
    /// The photo as it was uploaded: anything may be in it.
    public var image: [UInt8]?
    /// What the photo tells of itself; nil without one.
    public var picture: Result<PictureReading, PictureReading.Unreadable>?
    /// Where the recording is; no analyser here listens to it.
    public var audioURL: String?
    /// When it was captured.
    public var time: Timestamp
    /// The clock that the user lives by.
    public var calendar: UserCalendar

    /// All fields at once.
    public init(
        transcription: String?, image: [UInt8]?,
        picture: Result<PictureReading, PictureReading.Unreadable>? = nil, audioURL: String?,
        time: Timestamp, calendar: UserCalendar
    ) {
        self.transcription = transcription
        self.image = image
        self.picture = picture
        self.audioURL = audioURL
        self.time = time
        self.calendar = calendar
    }
}
