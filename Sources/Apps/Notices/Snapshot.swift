import Instruments
import Postgres
import Synchronization

/// The transactions that were finished at one moment, from `pg_current_snapshot()`.
///
/// - Source: PostgreSQL manual, "Transaction ID and Snapshot Information Functions".
struct Snapshot: Equatable, Sendable {
    /// The first transaction that had not begun.
    let end: UInt64
    /// The transactions before `end` that were still open.
    let open: [UInt64]

    /// - Parameter text: `xmin:xmax:xip,xip,…`
    init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let end = UInt64(parts[1]) else { return nil }
        let open = parts[2].split(separator: ",").map { UInt64($0) }
        guard !open.contains(nil) else { return nil }
        self.end = end
        self.open = open.compactMap(\.self)
    }
}
