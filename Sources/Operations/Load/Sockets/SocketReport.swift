/// What a run over WebSockets came to.
public struct SocketReport: Sendable {
    /// From the first text to the last answer.
    public var elapsedNanoseconds: UInt64 = 0
    /// Texts that were acknowledged.
    public var acknowledged = 0
    /// Texts that were refused.
    public var refused = 0
    /// Texts that came without being asked for.
    public var unasked = 0
    /// Texts without an answer: broken sockets, or too late.
    public var lost = 0
    /// Sockets that the server closed, or that said what is no WebSocket frame.
    public var socketsLost = 0
    /// From sending a text to its acknowledgement, in nanoseconds.
    public var latency = LatencyHistogram()
    /// CPU time of the generator's thread.
    public var processorNanoseconds: UInt64 = 0

    /// From the first text to the last answer.
    public var seconds: Double { Double(elapsedNanoseconds) * 1e-9 }
    /// Over the whole run.
    public var acknowledgedPerSecond: Double { Double(acknowledged) / max(seconds, 1e-9) }
    /// Share of one core that the generator's thread took.
    public var coresTaken: Double {
        Double(processorNanoseconds) / Double(max(1, elapsedNanoseconds))
    }
}
