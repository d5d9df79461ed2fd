/// The items of a pass that fail, in `sluice.failing_item`. The pass goes on past them and tries
/// each again after a pause that doubles from a minute to six hours.
///
/// Use: load it before the pass, skip the items that ``rests(_:)``, and report each outcome with
/// ``failed(_:_:on:)`` or ``succeeded(_:on:)``, outside the item's transaction.
///
/// The metric `sluice_failing_items`, `sluice doctor` and an alert read the same table, so they
/// name an item whichever node has tried it. A pass keeps at most 1000 items; one more is tried by
/// every run.
public struct FailingItems: Sendable {
    /// The passes that have failing items; the names are label values of the metric.
    public enum Pass: String, CaseIterable, Sendable {
        /// Partitions that are to be made. Items: days, `2026-01-31`.
        case days
        /// Rows that are older than their limit. Items: tables.
        case leftovers
        /// Unreferenced contents and replaced files. Items: contents by name, or steps of a sweep.
        case media
        /// Days that are to leave the tables. Items: partitions.
        case retention
        /// Days that are to be sealed. Items: partitions, and `late readings` of sealed days.
        case sealing
        /// Tables whose statistics are due. Items: tables, `sluice.gps`.
        case statistics
    }

    /// Whose items these are.
    public let pass: Pass
    /// Known items; true: it rests.
    private var known: [String: Bool] = [:]

    /// Reads the pass's items.
    public init(_ pass: Pass, on connection: Connection) throws(PostgresError) {
        self.pass = pass
        var parameters = Parameters()
        parameters.append(text: pass.rawValue)
        let rows = try connection.query(
            "select item, next_at > now() from sluice.failing_item where pass = $1", parameters)
        for row in 0..<rows.count { known[rows.string(row, 0)] = rows.bool(row, 1) }
    }

    /// Whether the item failed the last time. Passes that may end early do such items last.
    public func contains(_ item: String) -> Bool { known[item] != nil }

    /// Whether the item has failed and its pause has not ended.
    public func rests(_ item: String) -> Bool { known[item] ?? false }

    /// Notes a failure. The connection must not be in a transaction.
    public mutating func failed(
        _ item: String, _ error: any Error, on connection: Connection
    ) throws(PostgresError) {
        known[item] = true
        var parameters = Parameters()
        parameters.append(text: pass.rawValue)
        parameters.append(text: item)
        parameters.append(text: "\(error)".filter { $0 != "\0" })
        try connection.query("select sluice.item_failed($1, $2, $3)", parameters)
    }

    /// Forgets an item that was failing; asks nothing of the database about others.
    public mutating func succeeded(
        _ item: String, on connection: Connection
    ) throws(PostgresError) {
        guard known.removeValue(forKey: item) != nil else { return }
        var parameters = Parameters()
        parameters.append(text: pass.rawValue)
        parameters.append(text: item)
        try connection.query(
            "delete from sluice.failing_item where pass = $1 and item = $2", parameters)
    }

    /// The number of failing items of each pass that has any.
    public static func counts(on connection: Connection) throws(PostgresError) -> [Pass: Int] {
        let rows = try connection.query("select pass, count(*) from sluice.failing_now group by 1")
        var counts: [Pass: Int] = [:]
        for row in 0..<rows.count {
            if let pass = Pass(rawValue: rows.string(row, 0)) {
                counts[pass] = Int(rows.int64(row, 1))
            }
        }
        return counts
    }
}
