/// The result of a run over WebSockets.
public struct SocketReport: Sendable {
    /// From the first text to the last answer.
    public var elapsedNanoseconds: UInt64 = 0
    /// Texts that were acknowledged.
    public var acknowledged = 0
    /// Texts that were rejected.
    public var refused = 0
    /// Texts from the server that answer nothing.
    public var unasked = 0
    /// Texts without an answer: the socket broke, or the timeout passed.
    public var lost = 0
    /// Sockets that were refused or closed, or that received an invalid frame.
    public var socketsLost = 0
    /// From sending a text to its acknowledgement, in nanoseconds.
    public var latency = LatencyHistogram()
    /// CPU time of the generator's thread.
    public var processorNanoseconds: UInt64 = 0

    /// From the first text to the last answer.
    public var seconds: Double { Double(elapsedNanoseconds) * 1e-9 }
    /// The average rate over the whole run.
    public var acknowledgedPerSecond: Double { Double(acknowledged) / max(seconds, 1e-9) }
    /// The CPU use of the generator's thread, in cores.
    public var coresTaken: Double {
        Double(processorNanoseconds) / Double(max(1, elapsedNanoseconds))
    }
}
