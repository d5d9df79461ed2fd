/// What one pass over the queue came to.
public struct Delivery: Equatable, Sendable {
    /// Why a pass ended.
    public enum End: Equatable, Sendable {
        /// The queue is empty.
        case empty
        /// Another process sends, or the task was cancelled.
        case yielded
        /// The server, the network, the credentials or the disk: what remains is sent later, at the
        /// earliest after these seconds if the server named them.
        case later(reason: String, afterSeconds: Double?)
    }

    /// What the server said of the delivered readings.
    public internal(set) var receipt = Receipt()
    /// Readings that the server rejects for good; they were moved aside.
    public internal(set) var rejected = 0
    /// Why the pass ended.
    public internal(set) var end = End.empty
}
