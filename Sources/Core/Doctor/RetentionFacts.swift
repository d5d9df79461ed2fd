/// How days leave the tables.
public struct RetentionFacts: Sendable {
    /// What happens to a day that leaves.
    public enum Destination: Sendable, Equatable {
        /// It is dropped.
        case nowhere
        case directory(String, isThere: Bool)
        /// - fault: why it can't be listed; nil: it can.
        case bucket(String, fault: String?)
    }

    /// Days for which readings stay in the tables; 0: for ever.
    public var days = 0
    /// Days after its end when a day is sealed; 0: never.
    public var sealAfterDays = 0
    /// What happens to a day that leaves.
    public var destination = Destination.nowhere
    /// After this many days without a reading, no more days leave.
    public var quietDaysMax = 7

    /// Readings stay for ever.
    public init() {}
}
