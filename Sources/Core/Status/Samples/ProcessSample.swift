/// Resources used by the process at one moment.
public struct ProcessSample: Equatable, Sendable {
    /// User and system CPU time since the start.
    public var cpuSeconds = 0.0
    /// The event loops' part of `cpuSeconds`.
    public var loopSeconds = 0.0
    /// Number of event loops.
    public var loops = 0.0
    /// Resident memory.
    public var residentBytes = 0.0
    /// Figures of the whole machine; nil: unknown.
    public var host: HostFigures?

    /// All zero.
    public init() {}
}
