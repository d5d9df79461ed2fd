import Readings
import Scanner

/// The response to a log that was offered to a lane.
public enum MealReply: Sendable, Equatable {
    /// Committed; status 201 with this body.
    case created(json: String)
    /// In the spool until the database recovers; status 202 with this body.
    case accepted(json: String)
    /// The id is another user's; status 403.
    case foreign
    /// Nothing was stored; status 503.
    case unavailable(retryAfter: Duration)
    /// The database refuses the log, and a retry would not help; status 500.
    case refused(sqlState: String)
}
