public import Readings

/// A reading that was set aside, as the answer lists it.
public struct DecodedProblem: Equatable, Sendable {
    public var index: Int
    public var reason: QuarantineReason

    public init(index: Int, reason: QuarantineReason) {
        self.index = index
        self.reason = reason
    }
}
