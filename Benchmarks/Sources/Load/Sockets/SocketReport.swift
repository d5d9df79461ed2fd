package import Histogram

/// What a run over WebSockets came to.
package struct SocketReport: Sendable {
    package var elapsedNanoseconds: UInt64 = 0
    package var acknowledged = 0
    package var refused = 0
    /// Texts that came without being asked for.
    package var unasked = 0
    /// Texts without an answer: broken sockets, or too late.
    package var lost = 0
    /// Sockets that the server closed, or that said what is no WebSocket frame.
    package var socketsLost = 0
    /// From sending a text to its acknowledgement, in nanoseconds.
    package var latency = Histogram<UInt64>(
        highestTrackableValue: 3_600_000_000_000, numberOfSignificantValueDigits: .three)
    /// CPU time of the generator's thread.
    package var processorNanoseconds: UInt64 = 0

    package var seconds: Double { Double(elapsedNanoseconds) * 1e-9 }
    package var acknowledgedPerSecond: Double { Double(acknowledged) / max(seconds, 1e-9) }
    /// Share of one core that the generator's thread took.
    package var coresTaken: Double {
        Double(processorNanoseconds) / Double(max(1, elapsedNanoseconds))
    }
}
