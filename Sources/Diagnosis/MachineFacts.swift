/// The machine, or the container.
public struct MachineFacts: Sendable {
    /// Memory, or the container's share of it.
    public var memoryBytes: Int?
    /// Files that a process may have open: the hard limit, which the server raises its own to.
    public var openFilesMax: Int?
    /// Whether the kernel takes the clock for synchronised.
    public var isClockSynchronised: Bool?
    /// `net.core.somaxconn`.
    public var backlogMax: Int?

    /// Nothing is known.
    public init() {}
}
