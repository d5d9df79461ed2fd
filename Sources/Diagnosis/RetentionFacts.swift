/// How days are to leave the tables.
public struct RetentionFacts: Sendable {
    /// Where they go.
    public enum Destination: Sendable, Equatable {
        /// Nowhere: they are dropped.
        case nowhere
        case directory(String, isThere: Bool)
    }

    /// That readings stay; 0: for ever.
    public var days = 0
    /// Of days that leave.
    public var destination = Destination.nowhere
    /// How many days may pass without a reading before days leave no more.
    public var quietDaysMax = 7

    /// Nothing leaves.
    public init() {}
}
