import Glibc

/// Limits and times of the lanes.
public struct IngestionConfiguration: Sendable {
    /// Writers, each with a connection; 0 means one for each core, from 2 to 8. PostgreSQL spends a
    /// core on each, and two keep it busier than one; more than its cores only adds switches.
    public var lanes = 0
    /// Bytes of batches that may wait for one lane.
    public var laneBytesMax = 16 * 1024 * 1024
    /// Bytes of tuples that one transaction takes, if more than one batch: about 16 000 rows.
    public var groupBytesMax = 1024 * 1024
    /// The least time between the starts of two groups of a lane, if the first had more than one
    /// batch. A transaction costs some 0.4 ms whatever its size; without a floor, a machine that is
    /// short of CPU settles on many small groups. A batch that comes alone never waits.
    public var groupIntervalMin: Duration = .milliseconds(2)
    /// How long one attempt at a group may take; then its connection is given up.
    public var attemptMax: Duration = .seconds(20)
    /// How long a group is tried again before its batches are answered with "unavailable".
    public var patience: Duration = .seconds(5)
    /// How long to wait for a connection.
    public var connectMax: Duration = .seconds(5)
    /// How long a transaction waits for a lock of somebody else's before it is tried again.
    public var lockWaitMax: Duration = .seconds(10)
    /// The first pause after a failed attempt; it doubles up to ``backoffMax``.
    public var backoffMin: Duration = .milliseconds(50)
    /// The longest pause between attempts to connect.
    public var backoffMax: Duration = .seconds(2)

    /// The defaults.
    public init() {}

    /// ``lanes``, with the machine's answer in the place of 0.
    var laneCount: Int {
        lanes > 0 ? lanes : min(max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 2), 8)
    }
}
