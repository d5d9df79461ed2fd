/// What one sweep did.
public struct SweepFigures: Sendable, Equatable {
    /// Old objects that rows name.
    public var objectsNamed = 0
    /// Old objects that no row named.
    public var objectsRemoved = 0
    /// Files and unfinished uploads of crashed processes.
    public var leftoversRemoved = 0

    /// Nothing was done.
    public init() {}
}
