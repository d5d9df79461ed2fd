import Postgres
import Readings
import Scanner

/// Reads stored rows as tuples, to be compared with received ones.
enum StoredRows {
    private static let spans = """
        unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[]) AS span(device_key, first, last)
        """

    /// OFFSET 0 has PostgreSQL look up each span in the table. Without statistics, as on a day that
    /// has just been made, it would compare all of the table's rows with all spans: 6 s instead of
    /// 80 ms for 5,000 spans and 15,000 rows. The outer bounds let it skip other days.
    static func statement(_ kind: ReadingKind) -> String {
        """
        SELECT r.* FROM \(spans) CROSS JOIN LATERAL (
            SELECT \(columns(kind)) FROM sluice.\(kind.name) r
            WHERE r.device_key = span.device_key AND r.t BETWEEN span.first AND span.last
                AND r.t BETWEEN $4 AND $5
            OFFSET 0
        ) r
        """
    }

    /// The same for Citus' coordinator: a join. It plans without the session's settings, and would
    /// read the shard once for each span.
    static func statementForCoordinator(_ kind: ReadingKind) -> String {
        """
        SELECT \(columns(kind)) FROM \(spans)
        JOIN sluice.\(kind.name) r
            ON r.device_key = span.device_key AND r.t BETWEEN span.first AND span.last
        WHERE r.t BETWEEN $4 AND $5
        """
    }

    private static func columns(_ kind: ReadingKind) -> String {
        kind.schema.columns.map { "r.\($0)" }.joined(separator: ", ")
    }

    static func parameters(_ spans: [Deduplication.Span], into parameters: inout Parameters) {
        parameters.removeAll()
        parameters.append(int8s: spans.lazy.map(\.deviceKey))
        parameters.append(timestamptzs: spans.lazy.map { $0.first })
        parameters.append(timestamptzs: spans.lazy.map { $0.last })
        parameters.append(timestamptz: spans.lazy.map(\.first).min())
        parameters.append(timestamptz: spans.lazy.map(\.last).max())
    }

    /// Adds what was found in `spans` to `set`.
    static func add(_ rows: Rows, in spans: [Deduplication.Span], to set: inout TupleSet) {
        var comparedKeys: [Int64: Int64] = [:]
        for span in spans where span.comparedKey != span.deviceKey {
            comparedKeys[span.deviceKey] = span.comparedKey
        }
        var tuple: [UInt8] = []
        for row in 0..<rows.count {
            tuple.removeAll(keepingCapacity: true)
            append(Int16(rows.columnCount), to: &tuple)
            for column in 0..<rows.columnCount {
                guard !rows.isNull(row, column) else {
                    append(-1 as Int32, to: &tuple)
                    continue
                }
                let field = rows.bytes(row, column)
                append(Int32(field.count), to: &tuple)
                tuple.append(contentsOf: field)
            }
            let key = comparedKeys.isEmpty ? nil : comparedKeys[rows.int64(row, 0)]
            tuple.withUnsafeBytes { bytes in
                if let key {
                    _ = set.insert(bytes, withKey: key)
                } else {
                    _ = set.insert(bytes)
                }
            }
        }
    }

    private static func append(_ value: some FixedWidthInteger, to tuple: inout [UInt8]) {
        withUnsafeBytes(of: value.bigEndian) { tuple.append(contentsOf: $0) }
    }
}
