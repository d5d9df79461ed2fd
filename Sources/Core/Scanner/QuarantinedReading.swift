public import Readings

/// A quarantined reading with its original bytes.
public struct QuarantinedReading: Equatable, Sendable {
    /// Index in the batch's `data`, from 0; or ``indexUnknown``.
    public let index: Int
    /// The first rule it broke.
    public let reason: QuarantineReason
    /// From `{` to `}` as sent, or the first `readingBytesMax` bytes if it was too large. With
    /// ``indexUnknown`` it is JSON made from the stored row.
    public let body: [UInt8]

    /// The index of a reading that was quarantined after scanning, when indexes are forgotten.
    public static let indexUnknown = -1

    /// Checks nothing: the scanner has applied the limits.
    public init(index: Int, reason: QuarantineReason, body: [UInt8]) {
        self.index = index
        self.reason = reason
        self.body = body
    }
}
