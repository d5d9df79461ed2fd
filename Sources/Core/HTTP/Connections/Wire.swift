import NIOCore

/// The interface between ``ConnectionHandler`` and the bytes of its connection, or of its HTTP/2
/// stream.
protocol Wire: AnyObject {
    /// Set while both are in the pipeline.
    var handler: ConnectionHandler? { get set }
    /// Bytes received so far.
    var receivedBytes: Int { get }
    /// Requests take the quick path.
    var isQuick: Bool { get }
    /// An HTTP/2 stream: it has one request, and its connection's seat.
    var isStream: Bool { get }
    /// The place of the connection.
    var seat: ConnectionSeat { get }
    /// The next answer, as HTTP/1.1 bytes; its head and end are about to pass.
    var ready: ByteBuffer? { get set }

    /// Sends bytes as they are, without the HTTP encoder.
    func write(_ bytes: ByteBuffer, promise: EventLoopPromise<Void>?)
    func flush()

    /// The answer to a request on the quick path has been written.
    func answerWritten()

    /// Reads if a read was held back and is now possible.
    ///
    /// - Parameter isDrained: all requests that have been read are answered.
    func readOnIfOwed(isDrained: Bool)

    /// Discards everything received from now on; beyond `bytesMax` the connection is cut off.
    func discard(bytesMax: Int)

    /// Bytes that the client has not taken yet, as far as known.
    func waitingBytes(_ context: ChannelHandlerContext) -> Int

    /// Whether bytes of the next request have arrived, while the connection is idle. Those that
    /// came in one read with the end of the last one are in the HTTP decoder, and not counted.
    ///
    /// - Parameter endAtBytes: ``receivedBytes`` when the last request ended.
    func hasPartOfHead(since endAtBytes: Int) -> Bool

    /// Counts bytes of an answer that the router has written, or, if negative, that the client has
    /// taken.
    func countUnsent(_ change: Int)

    /// Closes the sending side.
    func closeSending(_ context: ChannelHandlerContext)
}
