public import MediaStorage

/// What became of a thumbnail that was asked for.
public enum ThumbnailOutcome: Sendable {
    /// Open: to be served like any file, with a type and a tag of its own.
    case made(StoredMedia)
    /// No image: a film or sound.
    case unsupported
    /// An image that can't be decoded.
    case unreadable
    /// An image of more pixels than this is not decoded.
    case tooManyPixels(max: Int)
    /// An image that can't be decoded with the memory and in the time that there is for one.
    case overLimits
    /// Too many wait already, or the server stops.
    case busy
    /// The file was deleted meanwhile.
    case gone

    init(_ failure: InspectionFailure, pixelsMax: Int) throws(InspectionFailure) {
        switch failure {
        case .unreadable: self = .unreadable
        case .tooManyPixels: self = .tooManyPixels(max: pixelsMax)
        case .overLimits: self = .overLimits
        case .stopped: self = .busy
        case .notStarted: throw failure
        }
    }
}
