import Postgres
public import Readings

/// A role made by ``Analysts``.
public struct Analyst: Sendable, Equatable {
    /// The role's name.
    public let name: String
    /// When its password expires; nil: never.
    public let validUntil: Timestamp?
    /// Its current number of connections.
    public let connections: Int
    /// False if it can't log in or lacks the reader's rights, because it was dropped halfway.
    public let isWhole: Bool
    /// It has the limits of time with which it was made.
    public let isLimited: Bool
}
