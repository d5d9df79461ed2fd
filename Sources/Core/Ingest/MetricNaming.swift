public import Postgres
import Readings

/// The statement that gives the names of metrics their codes, which are in `sluice.metric_name`.
///
/// A lane runs it outside of the group's transaction: a name has one code for good, whatever becomes
/// of the readings. Until a group is written, readings keep their names, also in the spool.
public enum MetricNaming {
    /// The codes of names; new names get one, as far as the key may bring more
    /// (``MetricName/ofKeyMax``).
    public static func codes(
        of names: [String], ofKey key: String, on connection: Connection
    ) throws(PostgresError) -> [String: Int16] {
        try codes(of: [key: Set(names)], on: connection)
    }

    /// The same for several keys, in one round trip.
    static func codes(
        of names: [String: Set<String>], on connection: Connection
    ) throws(PostgresError) -> [String: Int16] {
        let results = try connection.together { pipeline throws(PostgresError) in
            for (key, names) in names.sorted(by: { $0.key < $1.key }) {
                var parameters = Parameters()
                parameters.append(texts: names.sorted().lazy.map { $0 })
                parameters.append(text: key)
                parameters.append(int4: Int32(MetricName.ofKeyMax))
                try pipeline.add(statement, parameters)
            }
        }
        var codes: [String: Int16] = [:]
        for rows in results {
            for row in 0..<rows.count { codes[rows.string(row, 0)] = Int16(rows.int32(row, 1)) }
        }
        return codes
    }

    private static let statement = """
        SELECT metric, metric_code::int4 FROM sluice.name_metrics($1, $2, $3)
        WHERE metric_code IS NOT NULL
        """
}
