import Postgres
import Readings
import Scanning

/// The statements of a group's transaction, except its COPYs and those of units.
enum ClaimStatements {
    /// Locks the rows, moves the watermarks and returns the old ones, in one statement: an ordinary
    /// column carries the old value to RETURNING. It also tells whether a device's attributes are
    /// new. Writers must not deadlock, so the lane's session limits the planner to what takes rows
    /// in key order: walking the array or, if planned while the table was almost empty, its index.
    ///
    /// If several source rows match one row of a table, PostgreSQL applies one. They never do: rows
    /// are matched by key and check, so an id whose key belongs to another changes nothing.
    static let claimText = """
        UPDATE sluice.device_state s
        SET \(each { "\($0)_before = s.\($0)_until, \($0)_until = greatest(s.\($0)_until, b.\($0))" }),
            readings = s.readings + b.readings, last_seen = now(),
            said = CASE WHEN b.said_at >= s.said_at THEN b.said ELSE s.said END,
            said_at = greatest(s.said_at, b.said_at),
            says_new = b.said_at >= s.said_at AND b.said <> s.said
        FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::timestamptz[],
            \(kindParameters(after: 5, "timestamptz")))
            AS b(device_key, key_check, readings, said, said_at, \(each { $0 }))
        WHERE s.device_key = b.device_key AND s.key_check = b.key_check
        RETURNING s.device_key, s.key_check, s.says_new, s.summed_until,
            \(each { "s.\($0)_before" })
        """

    /// SQL about each kind, as a list.
    private static func each(_ text: (_ kind: String) -> String) -> String {
        ReadingKind.allCases.map { text($0.name) }.joined(separator: ", ")
    }

    /// An array for each kind, after `count` other parameters.
    private static func kindParameters(after count: Int, _ type: String) -> String {
        ReadingKind.allCases.indices.map { "$\(count + 1 + $0)::\(type)[]" }
            .joined(separator: ", ")
    }

    static let claimTypes: [OID] =
        [.int8Array, .int8Array, .int8Array, .int8Array, .timestamptzArray]
        + ReadingKind.allCases.map { _ in .timestamptzArray }

    static func claimParameters(_ claims: some Collection<Claim>, into parameters: inout Parameters)
    {
        parameters.removeAll()
        parameters.append(int8s: claims.lazy.map(\.key.value))
        parameters.append(int8s: claims.lazy.map(\.key.check))
        parameters.append(int8s: claims.lazy.map(\.rowCount))
        parameters.append(int8s: claims.lazy.map(\.said))
        parameters.append(timestamptzs: claims.lazy.map { $0.attributesAt })
        for kind in ReadingKind.allCases {
            parameters.append(timestamptzs: claims.lazy.map { $0.newest[kind] })
        }
    }

    static func holdings(_ rows: Rows, into holdings: inout [Int64: Holding]) {
        for row in 0..<rows.count {
            holdings[rows.int64(row, 0)] = Holding(
                keyCheck: rows.int64(row, 1),
                watermarks: ByKind { rows.timestamp(row, 4 + Int($0.rawValue)) },
                saysNew: rows.bool(row, 2), summedUntil: rows.timestamp(row, 3))
        }
    }

    /// The rows that a claim could lock at this moment. On Citus, all keys of `$1` are in one shard.
    static let lockable =
        "SELECT device_key FROM sluice.device_state WHERE device_key = ANY ($1) "
        + "FOR NO KEY UPDATE SKIP LOCKED"

    /// On Citus, all keys of `$1` are in one shard.
    static let owners =
        "SELECT device_key, key_check FROM sluice.device_state WHERE device_key = ANY ($1)"

    static let registerDevices = """
        INSERT INTO sluice.device
            (device_key, device_id, user_id, model_name, version, attributes_at)
        SELECT key, id, coalesce(user_id, id), model_name, version, attributes_at
        FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[],
            $6::timestamptz[]) AS n(key, id, user_id, model_name, version, attributes_at)
        ORDER BY key
        ON CONFLICT DO NOTHING
        """

    static let registerStates = """
        INSERT INTO sluice.device_state (device_key, key_check)
        SELECT key, key_check FROM unnest($1::bigint[], $2::bigint[]) AS n(key, key_check)
        ORDER BY key
        ON CONFLICT DO NOTHING
        """

    /// Writes only where something changes. The claim has already found what is new and not older;
    /// rows from before claims did so are compared by `attributes_at`.
    static let updateAttributes = """
        UPDATE sluice.device d
        SET user_id = coalesce(n.user_id, d.user_id),
            model_name = coalesce(n.model_name, d.model_name),
            version = coalesce(n.version, d.version),
            attributes_at = n.attributes_at
        FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::timestamptz[])
            AS n(key, user_id, model_name, version, attributes_at)
        WHERE d.device_key = n.key AND n.attributes_at >= d.attributes_at
            AND (coalesce(n.user_id, d.user_id), coalesce(n.model_name, d.model_name),
                coalesce(n.version, d.version))
                IS DISTINCT FROM (d.user_id, d.model_name, d.version)
        """

    /// A unit that is replayed twice is rejected once.
    static let setAsideUnits = """
        INSERT INTO sluice.unit_set_aside (kind, payload, sqlstate, reason, received_at)
        SELECT * FROM unnest($1::text[], $2::bytea[], $3::text[], $4::text[], $5::timestamptz[])
            AS u(kind, payload, sqlstate, reason, received_at)
        ORDER BY kind, payload
        ON CONFLICT DO NOTHING
        """

    static let subtractDuplicates = """
        UPDATE sluice.device_state s SET readings = s.readings - b.duplicates
        FROM unnest($1::bigint[], $2::bigint[]) AS b(device_key, duplicates)
        WHERE s.device_key = b.device_key
        """

    /// The greatest lateness starts anew with the first late readings after 30 days without any. No
    /// CASE, because Citus accepts no `now()` in one.
    static let noteLateReadings = """
        UPDATE sluice.device_state s
        SET late_readings = s.late_readings + b.readings, late_at = now(),
            \(each {
                "\($0)_late_by_us = greatest(b.\($0), s.\($0)_late_by_us"
                    + " * (s.late_at > now() - interval '30 days')::int)"
            })
        FROM unnest($1::bigint[], $2::bigint[], \(kindParameters(after: 2, "bigint")))
            AS b(device_key, readings, \(each { $0 }))
        WHERE s.device_key = b.device_key
        """

    /// With ``beat``: the locks of a group and a row. Fails where a group would fail, such as on a
    /// standby, a full disk or a locked table.
    static let lockTables = """
        LOCK TABLE \(each { "ONLY sluice.\($0)" }), ONLY sluice.device_state
        IN ROW EXCLUSIVE MODE
        """

    static let beat = """
        INSERT INTO sluice.node_beat (node, lane, beat) VALUES ($1, $2, now())
        ON CONFLICT (node, lane) DO UPDATE SET beat = now()
        """

    /// Bodies may repeat; the same bad reading of a device is one row.
    static let quarantine = """
        INSERT INTO sluice.quarantine
            (device_key, device_id, reason, body, reading_index, api_key, received_at)
        SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bytea[], $5::int4[],
            $6::text[], $7::timestamptz[])
        ON CONFLICT DO NOTHING
        """
}

/// The statements that name the devices of a group, for its destination.
struct GroupStatements: Sendable {
    let claim: KeptStatement
    let storedRows: ByKind<String>
    let updateAttributes: String
    let subtractDuplicates: String
    let noteLateReadings: String

    static let plain = GroupStatements { text, _ in text }
    static let ofShard = GroupStatements(ShardStatements.narrowed)

    private init(_ form: (_ text: String, _ keyColumn: String) -> String) {
        claim = KeptStatement(
            "claim", form(ClaimStatements.claimText, "s.device_key"),
            types: ClaimStatements.claimTypes)
        storedRows = ByKind { form(StoredRows.statement($0), "r.device_key") }
        updateAttributes = form(ClaimStatements.updateAttributes, "d.device_key")
        subtractDuplicates = form(ClaimStatements.subtractDuplicates, "s.device_key")
        noteLateReadings = form(ClaimStatements.noteLateReadings, "s.device_key")
    }
}

/// What is different for a group whose devices are all in one shard of a Citus cluster.
///
/// Citus sends a statement to one shard only if its WHERE names the keys by a constant or a
/// parameter; a join with the parameters' arrays alone would go to all.
enum ShardStatements {
    /// A beat in the shard that the lane writes. LOCK TABLE would go to all nodes; instead the
    /// UPDATE finds no row and takes the lock of `device_state` in that one shard. Citus allows no
    /// `now()` after DO UPDATE.
    static let touch = "UPDATE sluice.device_state SET readings = readings WHERE device_key = $1"
    static let beat = """
        INSERT INTO sluice.shard_beat (device_key, node, lane, beat) VALUES ($1, $2, $3, now())
        ON CONFLICT (device_key, node, lane) DO UPDATE SET beat = excluded.beat
        """

    /// `$1` is the array of device keys in each of them.
    static func narrowed(_ statement: String, _ column: String) -> String {
        guard let range = statement.ranges(of: "WHERE ").last else {
            preconditionFailure("BUG: a statement without WHERE")
        }
        let head = statement[..<range.upperBound]
        return "\(head)\(column) = ANY ($1) AND \(statement[range.upperBound...])"
    }
}

/// Reads stored rows as tuples, to be compared with received ones.
enum StoredRows {
    static func statement(_ kind: ReadingKind) -> String {
        let columns = kind.schema.columns.map { "r.\($0)" }.joined(separator: ", ")
        // The outer bounds let PostgreSQL skip other days.
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
    /// - Parameter statement: the one of the kind to be read.
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
