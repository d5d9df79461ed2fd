import NIOCore

/// What stands between ``IngestHandler`` and the bytes of its connection, or of its HTTP/2 stream.
protocol Wire: AnyObject {
    /// Set while both are in the pipeline.
    var ingest: IngestHandler? { get set }
    /// Bytes received so far.
    var receivedBytes: Int { get }
    /// Requests go round HTTP's machinery.
    var isQuick: Bool { get }
    /// One request and no more: a stream of a connection that is counted elsewhere.
    var isStream: Bool { get }
    /// The answer whose head and end are about to pass, as HTTP/1.1 bytes.
    var ready: ByteBuffer? { get set }

    /// Sends bytes as they are, past the HTTP encoder.
    func write(_ bytes: ByteBuffer, promise: EventLoopPromise<Void>?)
    func flush()

    /// A request that came the quick way has its answer.
    func answerWritten()

    /// What made a read wait may have changed.
    ///
    /// - Parameter isDrained: all that has been read is answered.
    func readOnIfOwed(isDrained: Bool)

    /// Nothing that comes from now on is looked at; beyond `bytesMax` the connection is cut.
    func swallow(bytesMax: Int)

    /// What the client has not taken yet, as far as it can be known.
    func waitingBytes(_ context: ChannelHandlerContext) -> Int

    /// The router has written so much of an answer; or, negative, the client has taken it.
    func countUnsent(_ change: Int)

    /// No more will be sent.
    func closeSending(_ context: ChannelHandlerContext)
}
