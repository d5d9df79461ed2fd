/// What a running server says of itself.
public struct ServerFacts: Sendable {
    /// Its lanes; nil: it did not show its status.
    public var lanes: Int?
    /// On Citus, those whose rows do not go straight to the node that has them; nil: it did not
    /// show it.
    public var lanesNotDirect: Int?

    /// A server that shows nothing.
    public init() {}
}
