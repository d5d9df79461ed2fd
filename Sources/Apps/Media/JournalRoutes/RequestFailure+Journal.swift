import HTTP
import HTTPTypes
import Media
import Uploads

/// What a client of the journal is told.
extension RequestFailure {
    /// The failure for an error of the journal or of files; nil for others.
    static func ofJournal(_ error: any Error) -> RequestFailure? {
        switch error {
        case let error as JournalFailure:
            switch error {
            case .multipart(let error): ofFiles(error)
            case .store(let error): ofFiles(error)
            case .inspection(let failure): ofFiles(failure)
            default: RequestFailure(error.status, error.sentence)
            }
        case let fault as FieldFault: ofJournal(JournalFailure.field(fault))
        default: ofFiles(error)
        }
    }

    static let thumbnailWidthInvalid = RequestFailure(
        .badRequest,
        "w must be \(ThumbnailWidth.range.lowerBound) to \(ThumbnailWidth.range.upperBound)")
    static let thumbnailUnsupported = RequestFailure(
        .unprocessableContent, "there are thumbnails of pictures only")
    static let thumbnailUnreadable = RequestFailure(
        .unprocessableContent, "the picture can't be read")
    static let thumbnailOverLimits = RequestFailure(
        .unprocessableContent, "the picture could not be read within its limits")

    static func thumbnailTooLarge(pixelsMax: Int) -> RequestFailure {
        RequestFailure(
            .unprocessableContent,
            "the picture has more than \(pixelsMax) points, too many for a thumbnail")
    }

    static func thumbnailsTooMany(retryAfter: Duration) -> RequestFailure {
        RequestFailure(
            .serviceUnavailable, "too many thumbnails at a time, come again later",
            retryAfter: retryAfter)
    }
}
