/// What is answered about a log that was offered to the lanes.
public enum MealReply: Sendable, Equatable {
    /// Committed; 201 and the whole body.
    case created(json: String)
    /// In the spool, to be committed when the database is back; 202 and the whole body.
    case accepted(json: String)
    /// The id is another user's; 403.
    case foreign
    /// Nothing was kept; 503.
    case unavailable(retryAfter: Duration)
    /// The database refuses for a reason that waiting does not mend; 500.
    case refused(sqlState: String)
}
