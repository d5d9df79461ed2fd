/// A standby, as the primary sees it.
public struct StandbyFacts: Sendable {
    /// Its `application_name`.
    public let name: String
    /// Commits wait for it.
    public let isSynchronous: Bool
    /// Log of the primary that it has not on disk.
    public let bytesBehind: Int

    /// A value by its parts.
    public init(name: String, isSynchronous: Bool, bytesBehind: Int) {
        self.name = name
        self.isSynchronous = isSynchronous
        self.bytesBehind = bytesBehind
    }
}
