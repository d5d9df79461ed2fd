public import Doctor
public import Ingest

/// What the server takes from an app that is built into the product, as one value. Only the
/// executable's assembly names apps; the core sees this.
public protocol App: Sendable {
    /// Its settings, in the order of the help.
    var sections: [Settings.Section] { get }
    /// The kinds of units that it commits through the lanes: all that a spool may hold of it.
    var unitKinds: [UnitKind] { get }
    /// What its clients may have open.
    var places: [ClientPlaces] { get }

    /// What `serve` prints about it when clients can connect: names, and what can be sent where.
    ///
    /// - Parameter sockets: the server's address for WebSockets.
    func guide(sockets: String) -> [(name: String, what: String)]

    /// The programs whose formats it takes.
    var inputs: [InputGuide] { get }

    /// The configured base of URLs that are given out; nil: none is configured.
    func publicURL(_ configuration: ServiceConfiguration) -> String?

    /// Settings that are valid alone but not together.
    func contradictions(of configuration: ServiceConfiguration) -> [ConfigurationProblem]

    /// The most connections to the database that it opens at a time.
    func databaseConnectionsMax(_ configuration: ServiceConfiguration) -> Int

    /// How much longer a stop may take because of it.
    func stopMax(_ configuration: ServiceConfiguration) -> Duration

    /// Called before anything is opened, also by commands.
    func prepare(_ configuration: ServiceConfiguration) throws(StartFailure)

    /// Makes its parts for one run of the server. Does not connect to the database yet.
    func open(_ surroundings: Surroundings) async throws(StartFailure) -> any RunningApp

    /// What `sluice doctor` checks of the machine for it.
    func examine(_ machine: inout MachineFacts)

    /// The disks on which it keeps files, for `sluice doctor`.
    func disks(_ configuration: ServiceConfiguration) -> [DiskFacts]

    /// The files that it keeps outside the database; nil if it keeps none.
    func userFiles(_ configuration: ServiceConfiguration) -> (any UserFiles)?
}

extension App {
    /// None.
    public var sections: [Settings.Section] { [] }
    /// None.
    public var unitKinds: [UnitKind] { [] }
    /// None.
    public var places: [ClientPlaces] { [] }
    /// Nothing.
    public func guide(sockets: String) -> [(name: String, what: String)] { [] }
    /// None.
    public var inputs: [InputGuide] { [] }
    /// None.
    public func publicURL(_ configuration: ServiceConfiguration) -> String? { nil }
    /// None.
    public func contradictions(of configuration: ServiceConfiguration) -> [ConfigurationProblem] {
        []
    }
    /// Zero.
    public func databaseConnectionsMax(_ configuration: ServiceConfiguration) -> Int { 0 }
    /// Zero.
    public func stopMax(_ configuration: ServiceConfiguration) -> Duration { .zero }
    /// Nothing.
    public func prepare(_ configuration: ServiceConfiguration) throws(StartFailure) {}
    /// Nothing.
    public func examine(_ machine: inout MachineFacts) {}
    /// None.
    public func disks(_ configuration: ServiceConfiguration) -> [DiskFacts] { [] }
    /// None.
    public func userFiles(_ configuration: ServiceConfiguration) -> (any UserFiles)? { nil }
}
