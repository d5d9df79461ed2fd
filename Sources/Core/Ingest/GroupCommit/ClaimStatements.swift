import Postgres
import Readings
import Scanner

/// The statements of a group's transaction, except those of its rows (``GroupStatements``) and of
/// units.
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
        RETURNING s.device_key, s.key_check, s.says_new, s.summed_until, s.family,
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

    static func previousWatermarks(
        _ rows: Rows, into previousWatermarks: inout [Int64: Claim.Previous]
    ) {
        for row in 0..<rows.count {
            previousWatermarks[rows.int64(row, 0)] = Claim.Previous(
                keyCheck: rows.int64(row, 1),
                watermarks: ByKind { rows.timestamp(row, 5 + Int($0.rawValue)) },
                hasNewAttributes: rows.bool(row, 2), summedUntil: rows.timestamp(row, 3),
                family: rows.isNull(row, 4) ? [] : rows.int64s(row, 4))
        }
    }

    /// The devices among `$1` that have their rows; on Citus, all are in one shard.
    static let withRows = """
        SELECT s.device_key FROM sluice.device_state s JOIN sluice.device d USING (device_key)
        WHERE s.device_key = ANY ($1)
        """

    /// Those whose rows a group could lock at this moment: the one that a claim changes, and the
    /// one with the attributes.
    static let lockable = "\(withRows) FOR NO KEY UPDATE SKIP LOCKED"

    /// On Citus, all keys of `$1` are in one shard.
    static let lock = """
        SELECT s.device_key, \(each { "s.\($0)_until" })
        FROM sluice.device_state s WHERE s.device_key = ANY ($1)
        ORDER BY s.device_key FOR NO KEY UPDATE
        """

    /// On Citus, all keys of `$1` are in one shard.
    static let families =
        "SELECT device_id, keys FROM sluice.device_keys WHERE device_key = ANY ($1)"

    /// On Citus, all keys of `$1` are in one shard.
    static let owners =
        "SELECT device_key, key_check FROM sluice.device_state WHERE device_key = ANY ($1)"

    /// Of two transactions that register the first users of a device id, one waits here and then
    /// sees the other's key. A key may be added again; arrays of keys travel as texts.
    static let registerKeys = """
        INSERT INTO sluice.device_keys (device_key, device_id, keys)
        SELECT key, id, keys::bigint[]
        FROM unnest($1::bigint[], $2::text[], $3::text[]) AS n(key, id, keys)
        ORDER BY key, id
        ON CONFLICT (device_key, device_id) DO UPDATE SET keys = device_keys.keys || excluded.keys
        RETURNING keys
        """

    /// Tells all rows of a device id of one another.
    static let makeFamily = """
        UPDATE sluice.device_state SET family = $1 WHERE device_key = ANY ($1)
        RETURNING device_key
        """

    static let registerDevices = """
        INSERT INTO sluice.device
            (device_key, device_id, user_id, model_name, version, attributes_at)
        SELECT key, id, user_id, model_name, version, attributes_at
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
        SET model_name = coalesce(n.model_name, d.model_name),
            version = coalesce(n.version, d.version),
            attributes_at = n.attributes_at
        FROM unnest($1::bigint[], $2::text[], $3::text[], $4::timestamptz[])
            AS n(key, model_name, version, attributes_at)
        WHERE d.device_key = n.key AND n.attributes_at >= d.attributes_at
            AND (coalesce(n.model_name, d.model_name), coalesce(n.version, d.version))
                IS DISTINCT FROM (d.model_name, d.version)
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

    static let lowerWatermarks = """
        UPDATE sluice.device_state s SET \(each { "\($0)_until = b.\($0)" })
        FROM unnest($1::bigint[], \(kindParameters(after: 1, "timestamptz")))
            AS b(device_key, \(each { $0 }))
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

    /// With ``heartbeat``: the locks of a group and a row. Fails where a group would fail, such as on a
    /// standby, a full disk or a locked table.
    static let lockTables = """
        LOCK TABLE \(each { "ONLY sluice.\($0)" }), ONLY sluice.device_state
        IN ROW EXCLUSIVE MODE
        """

    static let heartbeat = """
        INSERT INTO sluice.node_heartbeat (node, lane, heartbeat) VALUES ($1, $2, now())
        ON CONFLICT (node, lane) DO UPDATE SET heartbeat = now()
        """

    /// Bodies may repeat; the same bad reading of a device is one row.
    static let quarantine = """
        INSERT INTO sluice.quarantine
            (device_key, device_id, user_id, reason, body, reading_index, api_key, received_at)
        SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::bytea[],
            $6::int4[], $7::text[], $8::timestamptz[])
        ON CONFLICT DO NOTHING
        """

    static func quarantineParameters(
        _ readings: [GroupChanges.Quarantined], into parameters: inout Parameters
    ) {
        parameters.removeAll()
        parameters.append(int8s: readings.lazy.map { $0.deviceKey })
        parameters.append(texts: readings.lazy.map { $0.deviceID })
        parameters.append(texts: readings.lazy.map { $0.userID })
        parameters.append(texts: readings.lazy.map { $0.reading.reason.rawValue })
        parameters.append(byteas: readings.lazy.map { $0.reading.body })
        parameters.append(int4s: readings.lazy.map { Int32(clamping: $0.reading.index) })
        parameters.append(texts: readings.lazy.map { $0.keyName })
        parameters.append(timestamptzs: readings.lazy.map { $0.receivedAt.microseconds })
    }
}
