import Glibc
public import HTTP
import HTTPTypes
import Media

/// What a client is told of an upload, or of a file that it asks for.
extension RequestFailure {
    /// Time in which an unreachable store may recover.
    private static let awayTime = Duration.seconds(5)
    /// An operator has to install something.
    private static let repairTime = Duration.seconds(60)
    private static let insufficientStorage = HTTPResponse.Status(
        code: 507, reasonPhrase: "Insufficient Storage")

    /// The failure for an error of forms, files or their inspection; nil for others.
    public static func ofFiles(_ error: any Error) -> RequestFailure? {
        switch error {
        case let error as MultipartError: multipart(error)
        case let error as MediaStoreError: store(error)
        case let failure as InspectionFailure: inspection(failure)
        default: nil
        }
    }

    private static func store(_ error: MediaStoreError) -> RequestFailure {
        switch error {
        case .full: RequestFailure(insufficientStorage, "the media store is full")
        case .disk(_, EMFILE), .disk(_, ENFILE), .unavailable:
            RequestFailure(
                .serviceUnavailable, "the media store is not available", retryAfter: awayTime)
        case .missing: .notFound
        case .disk, .refused, .ended:
            RequestFailure(.internalServerError, "the media store failed")
        }
    }

    private static func inspection(_ failure: InspectionFailure) -> RequestFailure? {
        switch failure {
        case .budgetUsedUp(let time): .inspectionUsedUp(retryAfter: time)
        case .busy, .stopped:
            RequestFailure(
                .serviceUnavailable, "too many files to inspect at a time, come again later",
                retryAfter: awayTime)
        case .notStarted:
            RequestFailure(
                .serviceUnavailable,
                "files can't be inspected: the operator has to install sluice-inspect",
                retryAfter: repairTime)
        case .unreadable, .tooManyPixels, .overLimits: nil
        }
    }

    private static func multipart(_ error: MultipartError) -> RequestFailure {
        RequestFailure(
            error == .notFormData ? .unsupportedMediaType : .badRequest, sentence(error))
    }

    private static func sentence(_ error: MultipartError) -> String {
        switch error {
        case .notFormData: "the content type must be multipart/form-data"
        case .boundaryMissing: "the content type names no boundary"
        case .boundaryInvalid: "the boundary must be 1 to 70 characters that RFC 2046 allows"
        case .truncated(let offset): "the body ends too soon, at byte \(offset)"
        case .boundaryLineInvalid(let offset):
            "a boundary is followed by something else, at byte \(offset)"
        case .headerInvalid(let offset): "a part's header is not valid, at byte \(offset)"
        case .headerTooLarge(let offset, let limit):
            "the headers of the part at byte \(offset) are larger than \(limit) bytes"
        case .headerFieldsTooMany(let offset, let limit):
            "the part at byte \(offset) has more than \(limit) headers"
        case .nameMissing(let offset): "the part at byte \(offset) has no name"
        case .transferEncodingUnsupported(let offset):
            "the part at byte \(offset) is encoded, which is not understood"
        case .partsTooMany(let offset, let limit):
            "there are more than \(limit) parts, the next one at byte \(offset)"
        }
    }

    /// 429: the user's files have taken as much processor time as they may.
    public static func inspectionUsedUp(retryAfter: Duration) -> RequestFailure {
        RequestFailure(
            .tooManyRequests,
            "your files have taken as much processor time as anybody's may in an hour, come again "
                + "later", retryAfter: retryAfter)
    }

    static func uploadsTooMany(retryAfter: Duration) -> RequestFailure {
        RequestFailure(
            .serviceUnavailable, "too many uploads at a time, come again later",
            retryAfter: retryAfter)
    }

    static func uploadShareUsedUp(retryAfter: Duration) -> RequestFailure {
        RequestFailure(
            .tooManyRequests, "too many of the uploads under way are yours, come again later",
            retryAfter: retryAfter)
    }

    static func dayShareUsedUp(retryAfter: Duration) -> RequestFailure {
        RequestFailure(
            .tooManyRequests,
            "you have uploaded as much as anybody may in a day, come again later",
            retryAfter: retryAfter)
    }

    static func spaceShort(retryAfter: Duration) -> RequestFailure {
        RequestFailure(
            insufficientStorage, "the disk for uploads is nearly full, come again later",
            retryAfter: retryAfter)
    }

    /// So many stored files are being sent that the process may open no more.
    static func downloadsTooMany(retryAfter: Duration) -> RequestFailure {
        RequestFailure(
            .serviceUnavailable, "too many files are being sent, come again later",
            retryAfter: retryAfter)
    }

    static let preconditionFailed = RequestFailure(.preconditionFailed, "Precondition Failed")

    static func rangeNotSatisfiable(bytes: Int) -> RequestFailure {
        RequestFailure(
            .rangeNotSatisfiable, "the file has only \(bytes) bytes",
            headers: [.contentRange: "bytes */\(bytes)"])
    }
}
