import Postgres

/// A standby, as the primary sees it.
public struct StandbyFacts: Sendable {
    /// Its `application_name`.
    public let name: String
    /// Commits wait for it.
    public let isSynchronous: Bool
    /// WAL of the primary that the standby has not flushed to disk.
    public let bytesBehind: Int

    /// Creates the facts of one standby.
    public init(name: String, isSynchronous: Bool, bytesBehind: Int) {
        self.name = name
        self.isSynchronous = isSynchronous
        self.bytesBehind = bytesBehind
    }
}
