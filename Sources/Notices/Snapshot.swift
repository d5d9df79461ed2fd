/// Which transactions were finished at one moment, as `pg_current_snapshot()` tells it.
///
/// - Source: PostgreSQL manual, "Transaction ID and Snapshot Information Functions".
struct Snapshot: Equatable, Sendable {
    /// The first one that had not begun.
    let end: UInt64
    /// Those before `end` that were still open.
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
