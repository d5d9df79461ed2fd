public import Scanner

/// A decoder's complete verdict on one body.
public enum Verdict: Equatable, Sendable, CustomStringConvertible {
    case taken(DecodedBatch)
    /// Refused as a whole, after `received` complete readings.
    case refused(ScanError, received: Int)

    /// Nil when the body is accepted.
    public var error: ScanError? {
        if case .refused(let error, _) = self { error } else { nil }
    }

    /// Nil when the body is refused.
    public var batch: DecodedBatch? {
        if case .taken(let batch) = self { batch } else { nil }
    }

    /// The text that ``Difference`` shows.
    public var description: String {
        Difference.summary(of: self)
    }
}
