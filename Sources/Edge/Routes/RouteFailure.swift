import Captures
import Meals
import MediaStorage
import Multimedia

/// Why a route behind the router does not do what it was asked: facts only. `RouteFailure+Answer`
/// makes them into words.
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

    // The status.
    case watchersTooMany(retryAfter: Duration)
}
