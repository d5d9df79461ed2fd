/// What waits, and what was set aside.
public struct WorkFacts: Sendable {
    /// Jobs that have failed too often.
    public var jobsDead = 0
    /// The kind and error that most of them have.
    public var jobsDeadMostly: String?
    /// Jobs that could run.
    public var jobsDue = 0
    /// How long the oldest of them could have.
    public var jobsDueSeconds = 0
    /// Readings in quarantine.
    public var quarantined = 0
    /// Those of the last day.
    public var quarantinedLastDay = 0
    /// The reason that most of these have.
    public var quarantinedMostly: String?
    /// Readings stored of all devices together.
    public var readings = 0
    /// Captures and meals from the spool that could not be stored.
    public var unitsSetAside = 0
    /// Keys that were made and are in force.
    public var keysInForce = 0
    /// Some of them open more than readings.
    public var hasApplicationKeys = false
    /// Names of keys that run out within a week.
    public var keysRunningOut: [String] = []

    /// Nothing.
    public init() {}
}
