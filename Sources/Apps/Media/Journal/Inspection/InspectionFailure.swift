import Foundation
import Synchronization

/// Why a file has no facts or thumbnail.
public enum InspectionFailure: Error, Equatable, Sendable {
    /// No library can read it.
    case unreadable
    /// It has more pixels than the limit.
    case tooManyPixels
    /// The process crashed or exceeded its limits.
    case overLimits(InspectionEnd)
    /// The server is stopping, or the request was cancelled.
    case stopped
    /// Too many requests are waiting.
    case busy
    /// The files of the user have taken as much processor time as they may.
    case budgetUsedUp(retryAfter: Duration)
    /// The process could not be started; the file is not the cause.
    case notStarted(errno: Int32)

    /// Whether the file is the cause, so that another try would probably fail the same way.
    var isOfTheFile: Bool {
        switch self {
        case .unreadable, .tooManyPixels, .overLimits: true
        case .stopped, .busy, .budgetUsedUp, .notStarted: false
        }
    }
}
