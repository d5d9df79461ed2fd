import Synchronization

/// The columns of a ``Ledger`` at one moment.
public protocol LedgerBook: MetricSource {
    /// The sum of the arrival columns.
    var cameIn: Int { get }
    /// The sum of the departure columns.
    var left: Int { get }
}

extension LedgerBook {
    /// Arrivals that have not departed yet.
    public var pending: Int { cameIn - left }
}
