import Postgres

/// Jobs, quarantine, rejected units and keys.
public struct WorkFacts: Sendable {
    /// The failing items of one pass.
    public struct FailingPass: Sendable {
        /// As in the metric's label.
        public var pass: String
        /// How many items.
        public var count: Int
        /// The item that has failed most often.
        public var item: String
        /// How often it has failed in a row.
        public var attempts: Int
        /// Its last failure.
        public var error: String

        /// Takes all values.
        public init(pass: String, count: Int, item: String, attempts: Int, error: String) {
            self.pass = pass
            self.count = count
            self.item = item
            self.attempts = attempts
            self.error = error
        }
    }

    /// Jobs that were given up after too many failures.
    public var jobsDead = 0
    /// Their most frequent kind and error.
    public var jobsDeadMostly: String?
    /// Items that background passes can't process, one entry for each pass.
    public var failing: [FailingPass] = []
    /// Jobs that are due and have no lease.
    public var jobsDue = 0
    /// How long the oldest due job has been due; a job whose lease has expired counts too.
    public var jobsDueSeconds = 0
    /// Readings in quarantine.
    public var quarantined = 0
    /// Readings quarantined in the last day.
    public var quarantinedLastDay = 0
    /// Their most frequent reason.
    public var quarantinedMostly: String?
    /// Stored readings of all devices.
    public var readings = 0
    /// Captures and meals from the spool that the database rejected.
    public var unitsSetAside = 0
    /// Devices with hours that could not be summed.
    public var devicesUnsummed = 0
    /// Some of them, each with its hours, the first one's day and the SQLSTATE.
    public var devicesUnsummedMostly: [String] = []
    /// The first and the last day of these hours.
    public var daysUnsummed: (first: String, last: String)?
    /// Issued keys in force.
    public var keysInForce = 0
    /// Some of these keys have an application scope.
    public var hasApplicationKeys = false
    /// Names of keys that expire within a week.
    public var keysRunningOut: [String] = []

    /// All zero.
    public init() {}
}
