import Captures
import Glibc
import HTTPTypes
import Hummingbird
import Meals
import Media
import Postgres

/// Why a route behind the router fails: facts only. The extension below turns them into words.
enum RouteFailure: Error, Equatable, Sendable {
    // Who asks, and for what.
    case unauthorized
    case forbidden
    case otherSite
    case keyNeeded
    case notFound
    case captureIDInvalid
    case userInvalid
    case userMissing
    case dateInvalid
    case hostInvalid

    // What was sent.
    case contentTypeUnsupported(expected: String)
    case encodingUnsupported
    case bodyTooLarge(bytesMax: Int)
    case fileTooLarge(bytesMax: Int)
    case profile(ProfileFault)
    case meal(MealFault)
    case foodNameTaken
    case foodsTooMany
    case multipart(MultipartError)
    case fileMissing
    case fileEmpty
    case fileTwice
    case fileTypeUnsupported

    // What is asked of a file.
    case preconditionFailed
    case rangeNotSatisfiable(bytes: Int)

    // What can't be done now, or at all.
    case uploadsTooMany(retryAfter: Duration)
    case uploadShareUsedUp(retryAfter: Duration)
    case dayShareUsedUp(retryAfter: Duration)
    case spaceShort(retryAfter: Duration)
    case quotaUsedUp(retryAfter: Duration)
    case databaseUnavailable(retryAfter: Duration)
    case lanesFull(retryAfter: Duration)
    case laneShareUsedUp(retryAfter: Duration)
    case commitLate(retryAfter: Duration)
    case refusedByDatabase(sqlState: String)
    case storeUnavailable(retryAfter: Duration)
    case storeFull
    case storeFailed

    // The journal.
    case journal(JournalFailure)
    case thumbnailWidthInvalid
    case thumbnailUnsupported
    case thumbnailUnreadable
    case thumbnailTooLarge(pixelsMax: Int)
    case thumbnailOverLimits
    case thumbnailsTooMany(retryAfter: Duration)
    case inspectionUsedUp(retryAfter: Duration)
    case inspectionsTooMany(retryAfter: Duration)
    case inspectorMissing(retryAfter: Duration)

    // The status.
    case watchersTooMany(retryAfter: Duration)
    /// So many stored files are being sent that the process may open no more.
    case downloadsTooMany(retryAfter: Duration)
}

/// What a client is told of a failure behind the router: the one place where these facts become a
/// status and a sentence.
extension RouteFailure {
    /// Time in which an unreachable database or store may recover.
    private static let awayTime = Duration.seconds(5)
    /// An operator has to install something.
    private static let repairTime = Duration.seconds(60)

    /// The failure for an error of a module below; nil if the client gets no details.
    init?(_ error: any Error) {
        switch error {
        case let failure as RouteFailure:
            self = failure
        case let error as MultipartError:
            self = .multipart(error)
        case let error as ProfileFault:
            self = .profile(error)
        case let error as MealFault:
            self = .meal(error)
        case let error as PostgresError where error.failureClass == .retry:
            self = .databaseUnavailable(retryAfter: Self.awayTime)
        case let error as MediaStoreError:
            switch error {
            case .full: self = .storeFull
            case .disk(_, EMFILE), .disk(_, ENFILE):
                self = .storeUnavailable(retryAfter: Self.awayTime)
            case .unavailable: self = .storeUnavailable(retryAfter: Self.awayTime)
            case .missing: self = .notFound
            case .disk, .refused, .ended: self = .storeFailed
            }
        case let error as JournalFailure:
            switch error {
            case .multipart(let error): self = .multipart(error)
            case .store(let error): self.init(error)
            case .inspection(let failure): self.init(failure)
            default: self = .journal(error)
            }
        case let failure as InspectionFailure:
            switch failure {
            case .budgetUsedUp(let time): self = .inspectionUsedUp(retryAfter: time)
            case .busy, .stopped: self = .inspectionsTooMany(retryAfter: Self.awayTime)
            case .notStarted: self = .inspectorMissing(retryAfter: Self.repairTime)
            case .unreadable, .tooManyPixels, .overLimits: return nil
            }
        case let error as FieldFault:
            self = .journal(.field(error))
        default:
            return nil
        }
    }

    /// The HTTP status.
    var status: HTTPResponse.Status {
        switch self {
        case .unauthorized: .unauthorized
        case .forbidden, .otherSite, .keyNeeded: .forbidden
        case .notFound: .notFound
        case .contentTypeUnsupported, .encodingUnsupported, .fileTypeUnsupported,
            .multipart(.notFormData):
            .unsupportedMediaType
        case .bodyTooLarge, .fileTooLarge, .profile(.tooLarge): .contentTooLarge
        case .captureIDInvalid, .userInvalid, .userMissing, .dateInvalid, .hostInvalid, .profile,
            .meal, .multipart,
            .fileMissing, .fileEmpty, .fileTwice:
            .badRequest
        case .foodNameTaken, .foodsTooMany: .conflict
        case .preconditionFailed: .preconditionFailed
        case .rangeNotSatisfiable: .rangeNotSatisfiable
        case .quotaUsedUp, .uploadShareUsedUp, .dayShareUsedUp, .laneShareUsedUp,
            .inspectionUsedUp:
            .tooManyRequests
        case .uploadsTooMany, .databaseUnavailable, .lanesFull, .commitLate, .storeUnavailable:
            .serviceUnavailable
        case .spaceShort, .storeFull:
            HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
        case .storeFailed, .refusedByDatabase: .internalServerError
        case .journal(let failure): failure.status
        case .thumbnailWidthInvalid: .badRequest
        case .thumbnailUnsupported, .thumbnailUnreadable, .thumbnailTooLarge,
            .thumbnailOverLimits:
            .unprocessableContent
        case .thumbnailsTooMany, .inspectionsTooMany, .inspectorMissing, .watchersTooMany,
            .downloadsTooMany:
            .serviceUnavailable
        }
    }

    /// When a retry makes sense; never nil with a 429 or a 503.
    var retryAfter: Duration? {
        switch self {
        case .uploadsTooMany(let time), .uploadShareUsedUp(let time), .quotaUsedUp(let time),
            .dayShareUsedUp(let time), .spaceShort(let time),
            .databaseUnavailable(let time), .lanesFull(let time), .laneShareUsedUp(let time),
            .commitLate(let time), .storeUnavailable(let time), .thumbnailsTooMany(let time),
            .watchersTooMany(let time), .downloadsTooMany(let time), .inspectionUsedUp(let time),
            .inspectionsTooMany(let time), .inspectorMissing(let time):
            time
        default: nil
        }
    }

    /// The failure as a sentence.
    var sentence: String {
        switch self {
        case .unauthorized: "Unauthorized"
        case .forbidden: "These data belong to another user"
        case .otherSite:
            "without keys and tokens this server is not open to web pages of other sites, nor under "
                + "any name but localhost"
        case .keyNeeded: "this takes a key with the scope status, not a user's token"
        case .notFound: "Not Found"
        case .captureIDInvalid:
            "the capture id must be 1 to 128 letters, digits, hyphens, underscores or dots and not "
                + "begin with a dot"
        case .userInvalid: "the user id must have 1 to 128 characters, none of them for control"
        case .userMissing:
            "this key acts for any user: say for whom, as ?user_id=, with 1 to 128 characters, none "
                + "of them for control"
        case .dateInvalid: "the date must be a day of the calendar, YYYY-MM-DD"
        case .hostInvalid: "the Host header names no host"
        case .contentTypeUnsupported(let expected): "the content type must be \(expected)"
        case .encodingUnsupported: "the body must not be compressed"
        case .bodyTooLarge(let bytesMax): "the body must not be larger than \(bytesMax) bytes"
        case .fileTooLarge(let bytesMax): "the file must not be larger than \(bytesMax) bytes"
        case .profile(let fault): fault.detail
        case .meal(let fault): fault.message
        case .foodNameTaken: "you have a food of that name"
        case .foodsTooMany: "you have as many foods of your own as anybody may have"
        case .multipart(let error): Self.sentence(error)
        case .fileMissing: "the body has no part named file"
        case .fileEmpty: "the file is empty"
        case .fileTwice: "the body has more than one part named file"
        case .fileTypeUnsupported:
            "the file is neither a picture nor a sound, or not what it claims"
        case .preconditionFailed: "Precondition Failed"
        case .rangeNotSatisfiable(let bytes): "the file has only \(bytes) bytes"
        case .uploadsTooMany: "too many uploads at a time, come again later"
        case .uploadShareUsedUp:
            "too many of the uploads under way are yours, come again later"
        case .dayShareUsedUp:
            "you have uploaded as much as anybody may in a day, come again later"
        case .spaceShort: "the disk for uploads is nearly full, come again later"
        case .quotaUsedUp: "this key has used up its quota, come again later"
        case .databaseUnavailable: "Database unavailable"
        case .lanesFull: "too much work at hand, come again later"
        case .laneShareUsedUp: "too much of what waits is yours, come again later"
        case .commitLate:
            "the database is taking too long; look whether it is there before you send it again"
        case .refusedByDatabase: "the database refused it"
        case .storeUnavailable: "the media store is not available"
        case .storeFull: "the media store is full"
        case .storeFailed: "the media store failed"
        case .journal(let failure): failure.sentence
        case .thumbnailWidthInvalid:
            "w must be \(ThumbnailWidth.range.lowerBound) to \(ThumbnailWidth.range.upperBound)"
        case .thumbnailUnsupported: "there are thumbnails of pictures only"
        case .thumbnailUnreadable: "the picture can't be read"
        case .thumbnailTooLarge(let pixelsMax):
            "the picture has more than \(pixelsMax) points, too many for a thumbnail"
        case .thumbnailOverLimits: "the picture could not be read within its limits"
        case .thumbnailsTooMany: "too many thumbnails at a time, come again later"
        case .inspectionUsedUp:
            "your files have taken as much processor time as anybody's may in an hour, come again "
                + "later"
        case .inspectionsTooMany: "too many files to inspect at a time, come again later"
        case .inspectorMissing:
            "files can't be inspected: the operator has to install sluice-inspect beside sluice"
        case .downloadsTooMany: "too many files are being sent, come again later"
        case .watchersTooMany: "too many watch the status, come again later"
        }
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

    /// Further facts, for envelopes that have a member for them.
    private var problem: ErrorProblem {
        switch self {
        case .userMissing, .userInvalid: ErrorProblem(field: "user_id")
        case .meal(let fault): ErrorProblem(code: fault.code, field: fault.field)
        case .foodNameTaken: ErrorProblem(code: "NAME_TAKEN", field: "name")
        case .foodsTooMany: ErrorProblem(code: "TOO_MANY_FOODS")
        default: ErrorProblem()
        }
    }

    /// The complete response.
    func response(in envelope: ErrorEnvelope) -> Response {
        var response = Response.error(status, sentence, problem, in: envelope)
        if let retryAfter { response.headers[.retryAfter] = RetryAfter.seconds(retryAfter) }
        switch self {
        case .unauthorized: response.headers[.wwwAuthenticate] = "Bearer"
        case .rangeNotSatisfiable(let bytes): response.headers[.contentRange] = "bytes */\(bytes)"
        case .encodingUnsupported: response.headers[.acceptEncoding] = "identity"
        default: break
        }
        return response
    }
}
