import Postgres

/// The machine or container.
public struct MachineFacts: Sendable {
    /// Memory of the machine, or the container's limit.
    public var memoryBytes: Int?
    /// Maximum number of open files of a process: the hard limit, to which the server raises its
    /// soft limit.
    public var openFilesMax: Int?
    /// True: `openFilesMax` is the running server's limit; false: it is this process's.
    public var isLimitOfServer = false
    /// Whether the kernel considers its clock synchronised.
    public var isClockSynchronised: Bool?
    /// `net.core.somaxconn`.
    public var backlogMax: Int?
    /// The program that reads uploaded files, and whether it is there.
    public var inspector: (path: String, isInstalled: Bool)?

    /// A machine about which nothing is known.
    public init() {}
}
