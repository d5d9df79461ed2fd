public import Readings

/// One line of the answer's `problems`.
public struct Problem: Equatable, Sendable {
    /// Index in the batch's `data`, from 0.
    public let index: Int
    /// The first rule the reading broke.
    public let reason: QuarantineReason

    /// One line.
    public init(index: Int, reason: QuarantineReason) {
        self.index = index
        self.reason = reason
    }
}
