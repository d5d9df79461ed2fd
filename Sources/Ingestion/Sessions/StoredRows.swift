import Postgres
import Readings

/// Reads stored rows back in the form of tuples, to be compared with those that came.
enum StoredRows {
    /// The fields of a tuple in their order. Named wherever tuples are written or read, so that a
    /// column that a later schema adds is nothing to a binary that doesn't know it.
    static func columns(_ kind: ReadingKind) -> [String] {
        switch kind {
        case .gps: ["device_key", "t", "lat", "lon", "acc"]
        case .vital: ["device_key", "t", "code", "val"]
        case .event: ["device_key", "t", "label", "val_text", "metadata"]
        }
    }

    static func statement(_ kind: ReadingKind) -> String {
        let columns = columns(kind).map { "r.\($0)" }.joined(separator: ", ")
        // The outer bounds let the planner see which days are concerned.
        return """
            SELECT \(columns)
            FROM unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[])
                AS span(device_key, first, last)
            JOIN sluice.\(kind.name) r
                ON r.device_key = span.device_key AND r.t BETWEEN span.first AND span.last
            WHERE r.t BETWEEN $4 AND $5
            """
    }

    /// Adds all rows in `spans` to `set`.
    ///
    /// - Parameter statement: of that kind.
    static func read(
        _ statement: String, _ spans: [Sifting.Span], _ connection: Connection,
        into set: inout TupleSet
    ) throws(PostgresError) {
        var parameters = Parameters()
        parameters.append(int8s: spans.lazy.map(\.deviceKey))
        parameters.append(timestamptzs: spans.lazy.map { $0.first })
        parameters.append(timestamptzs: spans.lazy.map { $0.last })
        parameters.append(timestamptz: spans.lazy.map(\.first).min())
        parameters.append(timestamptz: spans.lazy.map(\.last).max())
        let rows = try connection.query(statement, parameters)
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
            tuple.withUnsafeBytes { _ = set.insert($0) }
        }
    }

    private static func append(_ value: some FixedWidthInteger, to tuple: inout [UInt8]) {
        withUnsafeBytes(of: value.bigEndian) { tuple.append(contentsOf: $0) }
    }
}
