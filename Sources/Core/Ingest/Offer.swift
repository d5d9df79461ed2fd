import Synchronization

/// What became of an offer. Being full is normal, so it is a value, not an error.
public enum Offer: Sendable, Equatable {
    /// An acknowledgement will follow, once, whatever happens.
    case taken
    /// No room: nothing was kept.
    case full(retryAfter: Duration)
    /// Its device or owner has used up its share of the queue: nothing was kept.
    case shareUsedUp(retryAfter: Duration)
    /// Neither the database nor the spool accepts it: nothing was kept.
    case unavailable(retryAfter: Duration)
}
