public import Fleet

/// An HTTP/1.1 load generator on one thread: raw sockets, one epoll, no allocation per request.
///
/// On the server's machine, the generator takes CPU time from the server. The ``Workload`` renders
/// a request into one scratch buffer, which is sent in one call; only bytes that the socket did not
/// accept are kept. Answers are parsed in the receive buffer.
///
/// - Closed loop: each of `connections` keeps `outstanding` requests pending.
/// - Open loop: requests follow a schedule that answers don't slow down. If all connections are
///   busy, a request waits, and its latency counts from when it should have been sent.
///
/// A run is bounded by its duration, by the workload, and by a timeout for each answer. A request
/// whose connection breaks, or that times out, is reported as lost: its outcome is unknown.

/// The requests to send, and the handling of answers. Called on the generator's thread only.
public protocol Workload: AnyObject {
    /// The next request; nil if there are no more.
    func next() -> UInt64?
    /// Appends the body of the request; always the same bytes.
    func render(_ ticket: UInt64, into body: inout ByteWriter)
    /// The body of the request if it exists already, which saves copying it. Then
    /// ``render(_:into:)`` is not called.
    func preparedBody(_ ticket: UInt64) -> [UInt8]?
    /// The size of the body if it is known without rendering. Then a withheld body is rendered only
    /// when the server asks for it.
    func bodyBytes(_ ticket: UInt64) -> Int?
    /// Head lines of this request alone, each ending in CR LF; none by default.
    func headLines(_ ticket: UInt64) -> [UInt8]
    /// The request is being sent; in an open loop it should have been sent at `intended`.
    func left(_ ticket: UInt64, intended: UInt64)
    /// The request was answered. `.again` sends it once more after that time.
    func answered(_ ticket: UInt64, _ answer: borrowing Answer) -> Verdict
    /// The connection broke, or the answer timed out.
    func lost(_ ticket: UInt64) -> Verdict
}

extension Workload {
    /// No body exists in advance.
    public func preparedBody(_ ticket: UInt64) -> [UInt8]? { nil }
    /// Not known in advance.
    public func bodyBytes(_ ticket: UInt64) -> Int? { nil }
    /// No lines.
    public func headLines(_ ticket: UInt64) -> [UInt8] { [] }
    /// Does nothing.
    public func left(_ ticket: UInt64, intended: UInt64) {}
}
