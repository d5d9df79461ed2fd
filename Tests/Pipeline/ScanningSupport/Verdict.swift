public import Scanning

/// All that a decoder says about one body.
public enum Verdict: Equatable, Sendable, CustomStringConvertible {
    case taken(DecodedBatch)
    /// Refused whole, after so many complete readings.
    case refused(ScanError, received: Int)

    /// Nil when the body is taken.
    public var error: ScanError? {
        if case .refused(let error, _) = self { error } else { nil }
    }

    /// Nil when the body is refused.
    public var batch: DecodedBatch? {
        if case .taken(let batch) = self { batch } else { nil }
    }

    /// As ``Difference`` shows it.
    public var description: String {
        Difference.summary(of: self)
    }
}
