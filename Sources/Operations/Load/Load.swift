/// An HTTP/1.1 load generator on one thread: raw sockets, one epoll, no allocation a request.
///
/// Server and generator share the machine, so what the generator costs is taken from the server.
/// A request is rendered by the ``Workload`` into one scratch buffer and handed to `send` at
/// once; only what the socket did not take is kept. Answers are found in the receive buffer.
///
/// - Closed loop: each of `connections` keeps `outstanding` requests under way.
/// - Open loop: requests arrive by a schedule that no answer slows down; one that finds every
///   connection busy waits, and its latency counts from when it should have been sent.
///
/// Bounded: by duration, by what the workload gives, and by a time-out for each answer. A request
/// whose connection breaks, or that times out, is reported as lost: nobody knows what became of it.

/// What to send, and what becomes of the answers. Called on the generator's thread only.
public protocol Workload: AnyObject {
    /// The next request, or nil when there is nothing more to send.
    func next() -> UInt64?
    /// Appends the body of that request; the same bytes each time.
    func render(_ ticket: UInt64, into body: inout ByteWriter)
    /// The body of that request if it lies ready, which spares a copy of it; ``render(_:into:)`` is
    /// then not called.
    func preparedBody(_ ticket: UInt64) -> [UInt8]?
    /// How long that body is, if it is known without making it: then a body that is withheld is not
    /// made before it is wanted.
    func bodyBytes(_ ticket: UInt64) -> Int?
    /// Head lines of that request alone, each ending in CR LF; none by default.
    func headLines(_ ticket: UInt64) -> [UInt8]
    /// That request is on its way; in an open loop it should have left at `intended`.
    func left(_ ticket: UInt64, intended: UInt64)
    /// The answer to that request. With `.again` it is sent once more after that time.
    func answered(_ ticket: UInt64, _ answer: borrowing Answer) -> Verdict
    /// The connection broke or the answer did not come.
    func lost(_ ticket: UInt64) -> Verdict
}

extension Workload {
    /// None lies ready.
    public func preparedBody(_ ticket: UInt64) -> [UInt8]? { nil }
    /// Not known.
    public func bodyBytes(_ ticket: UInt64) -> Int? { nil }
    /// None.
    public func headLines(_ ticket: UInt64) -> [UInt8] { [] }
    /// Nothing to note.
    public func left(_ ticket: UInt64, intended: UInt64) {}
}

/// What the workload wants done with a request that was answered or lost.
public enum Verdict: Sendable, Equatable {
    case done
    case again(afterNanoseconds: UInt64)
}

/// An answer in the receive buffer.
public struct Answer: ~Copyable {
    /// Of the status line.
    public let status: Int
    /// Whole seconds of `Retry-After`, when the answer has one.
    public let retryAfterSeconds: Int?
    /// Valid during the call only.
    public let body: UnsafeRawBufferPointer
}

public import Fleet
