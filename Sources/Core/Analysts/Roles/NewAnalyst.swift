import Postgres

/// A newly made role.
public struct NewAnalyst: Sendable {
    /// Stored nowhere else.
    public let password: String
    /// What the role can do but should not.
    public let gaps: [AnalystGap]
    /// The nodes of a Citus cluster need the password, too.
    public let isOnCitus: Bool
}
