/// What is in a queue, and what became of what is not.
public struct QueueState: Equatable, Sendable {
    /// Readings that wait to be sent.
    public internal(set) var readings = 0
    /// Bytes of their files.
    public internal(set) var bytes = 0
    /// Batches that a server rejected for good; see ``ReadingQueue/requeueRejected()``.
    public internal(set) var rejectedBatches = 0
    /// Readings that were lost or rejected since the queue exists.
    public internal(set) var counts = Counts()

    /// Kept in the queue's directory. A crash may lose the last change.
    public struct Counts: Codable, Equatable, Sendable {
        /// Readings that made room for newer ones, of those that wait or of those moved aside.
        public internal(set) var dropped = 0
        /// Readings that were moved aside, those that were queued again included.
        public internal(set) var rejected = 0
        /// Readings whose bytes changed on the disk.
        public internal(set) var damaged = 0
    }
}
