/// The result of a request for a thumbnail.
public enum ThumbnailOutcome: Sendable {
    /// The open thumbnail. It is served like any file and has its own type and tag.
    case made(StoredMedia)
    /// The file is not an image but a film or a recording.
    case unsupported
    /// The image can't be decoded, or its size is unknown.
    case unreadable
    /// The image has more pixels than this, so it is not decoded.
    case tooManyPixels(max: Int)
    /// The image can't be decoded within the limits of memory and time.
    case overLimits
    /// Too many requests are waiting, or the server is stopping.
    case busy
    /// The user's files have taken as much processor time as they may.
    case budgetUsedUp(retryAfter: Duration)
    /// The file was deleted in the meantime.
    case gone

    init(_ failure: InspectionFailure, pixelsMax: Int) throws(InspectionFailure) {
        switch failure {
        case .unreadable: self = .unreadable
        case .tooManyPixels: self = .tooManyPixels(max: pixelsMax)
        case .overLimits: self = .overLimits
        case .stopped, .busy: self = .busy
        case .budgetUsedUp(let time): self = .budgetUsedUp(retryAfter: time)
        case .notStarted: throw failure
        }
    }
}
