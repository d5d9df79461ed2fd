/// Why readings were not queued, or the queue can't be used. Nothing of the call is queued then.
public enum QueueError: Error, Equatable, Sendable {
    /// The queue has reached its limit, and drops nothing by itself.
    case full(bytes: Int, bytesMax: Int)
    /// A reading is not one JSON object on one line.
    case readingInvalid(index: Int)
    /// A reading is longer than any that a server stores.
    case readingTooLarge(index: Int, bytes: Int, bytesMax: Int)
    /// One call has more bytes than a batch may have: pass fewer readings at once.
    case appendTooLarge(bytes: Int, bytesMax: Int)
    /// The metadata is not one JSON object on one line, or is too long.
    case metadataInvalid(bytes: Int, bytesMax: Int)
    /// A call of the system failed.
    case disk(operation: String, path: String, errno: Int32)
}
