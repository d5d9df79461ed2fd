import NIOCore

/// What has become of an answer whose body is a file.
enum FileSending {
    /// The kernel has all of it.
    case sent
    /// It has a part; the rest follows as the client reads.
    case waiting(EventLoopFuture<Void>)
    /// The connection is of no more use.
    case failed
}
