public import Inspections
public import Readings

/// The input of an analyser for one capture.
public struct AnalysisInput: Sendable {
    /// The transcribed speech; nil when there is none.
    public var transcription: String?
    /// The photo as uploaded. Its content is untrusted.
    public var image: [UInt8]?
    /// The photo's type and metadata, or why they can't be read; nil without a photo.
    public var picture: Result<PictureReading, PictureReading.Unreadable>?
    /// The URL of the recording. No analyser here listens to it.
    public var audioURL: String?
    /// The time of the capture.
    public var time: Timestamp
    /// The user's calendar.
    public var calendar: UserCalendar

    /// Takes all fields.
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
