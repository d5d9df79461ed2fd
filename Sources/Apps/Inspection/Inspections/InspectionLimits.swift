/// What a process that inspects one file may use.
public struct InspectionLimits: Sendable, Equatable {
    /// Memory in bytes, beyond the file and the memory mapped at the start.
    public var memoryBytesMax: Int
    /// Processor time, in seconds.
    public var processorSecondsMax: Int
    /// Elapsed time, in seconds.
    public var secondsMax: Int

    /// Takes all three limits.
    public init(memoryBytesMax: Int, processorSecondsMax: Int, secondsMax: Int) {
        self.memoryBytesMax = memoryBytesMax
        self.processorSecondsMax = processorSecondsMax
        self.secondsMax = secondsMax
    }
}
