import Postgres
import Readings
import Scanning

/// What one group has for one device: what is asked for its row in `device_state`.
struct Claim {
    let key: DeviceKey
    let deviceID: String
    /// Newest times of the group by kind; nil when it has none of that kind.
    var newest: InlineArray<3, Int64?> = [nil, nil, nil]
    /// Rows of all kinds, duplicates among them.
    var rowCount: Int64 = 0
    /// The last non-null of each, in the order of the group.
    var userID: String?
    var modelName: String?
    var version: String?

    init(_ parcel: Parcel) {
        key = parcel.key
        deviceID = parcel.deviceID
    }

    mutating func add(_ parcel: Parcel) {
        for kind in ReadingKind.allCases {
            let rows = parcel.summary(of: kind)
            guard rows.count > 0 else { continue }
            let known = newest[Int(kind.rawValue)] ?? .min
            newest[Int(kind.rawValue)] = max(known, rows.last)
            rowCount += Int64(rows.count)
        }
        if let attributes = parcel.attributes {
            userID = attributes.userID ?? userID
            modelName = attributes.modelName ?? modelName
            version = attributes.version ?? version
        }
    }

    var attributes: DeviceAttributes {
        DeviceAttributes(userID: userID, modelName: modelName, version: version)
    }

    /// The devices of a group, in the order in which all writers lock them, and each parcel's place
    /// among them.
    static func all(of parcels: [Parcel]) -> (claims: [Claim], placeOfParcel: [Int]) {
        var order = parcels.indices.sorted { parcels[$0].key.value < parcels[$1].key.value }
        // A batch alone needs no more.
        if parcels.count == 1 { order = [0] }
        var claims: [Claim] = []
        var places = [Int](repeating: 0, count: parcels.count)
        for index in order {
            let parcel = parcels[index]
            // Two ids that share a key are two claims; the second will be found out.
            if claims.last?.key != parcel.key { claims.append(Claim(parcel)) }
            claims[claims.count - 1].add(parcel)
            places[index] = claims.count - 1
        }
        return (claims, places)
    }
}

/// A device's row in `device_state` as it was before the group, now locked.
struct Holding {
    let keyCheck: Int64
    /// Watermarks by kind, microseconds since 2000; `Int64.min` when nothing was stored.
    let watermarks: InlineArray<3, Int64>
}

/// The statements that take and make rows of `device_state` and `device`.
enum ClaimStatements {
    static let claimName = "sluice_claim"

    /// Locks, moves the watermarks and gives the old ones, in one statement: an ordinary column
    /// carries the old value to RETURNING. The planner's choice is narrowed by the lane's session to
    /// walking the array, which is in key order, so that no two writers wait for each other.
    static let claim = """
        UPDATE sluice.device_state s
        SET gps_before = s.gps_until, gps_until = greatest(s.gps_until, b.gps),
            vital_before = s.vital_until, vital_until = greatest(s.vital_until, b.vital),
            event_before = s.event_until, event_until = greatest(s.event_until, b.event),
            readings = s.readings + b.readings, last_seen = now()
        FROM unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[], $4::timestamptz[],
            $5::bigint[]) AS b(device_key, gps, vital, event, readings)
        WHERE s.device_key = b.device_key
        RETURNING s.device_key, s.key_check, s.gps_before, s.vital_before, s.event_before
        """

    static let claimTypes: [OID] = [
        .int8Array, .timestamptzArray, .timestamptzArray, .timestamptzArray, .int8Array,
    ]

    static func claimParameters(_ claims: some Collection<Claim>, into parameters: inout Parameters)
    {
        parameters.removeAll()
        parameters.append(int8s: claims.lazy.map(\.key.value))
        for kind in ReadingKind.allCases {
            parameters.append(timestamptzs: claims.lazy.map { $0.newest[Int(kind.rawValue)] })
        }
        parameters.append(int8s: claims.lazy.map(\.rowCount))
    }

    static func holdings(_ rows: Rows, into holdings: inout [Int64: Holding]) {
        for row in 0..<rows.count {
            holdings[rows.int64(row, 0)] = Holding(
                keyCheck: rows.int64(row, 1),
                watermarks: [
                    rows.timestamp(row, 2), rows.timestamp(row, 3), rows.timestamp(row, 4),
                ])
        }
    }

    static let registerDevices = """
        INSERT INTO sluice.device (device_key, device_id, user_id, model_name, version)
        SELECT key, id, coalesce(user_id, id), model_name, version
        FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[])
            AS n(key, id, user_id, model_name, version)
        ORDER BY key
        ON CONFLICT DO NOTHING
        """

    static let registerStates = """
        INSERT INTO sluice.device_state (device_key, key_check)
        SELECT key, key_check FROM unnest($1::bigint[], $2::bigint[]) AS n(key, key_check)
        ORDER BY key
        ON CONFLICT DO NOTHING
        """

    /// Writes only where something changes: most batches repeat what is known.
    static let updateAttributes = """
        UPDATE sluice.device d
        SET user_id = coalesce(n.user_id, d.user_id),
            model_name = coalesce(n.model_name, d.model_name),
            version = coalesce(n.version, d.version)
        FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[])
            AS n(key, user_id, model_name, version)
        WHERE d.device_key = n.key
            AND (coalesce(n.user_id, d.user_id), coalesce(n.model_name, d.model_name),
                coalesce(n.version, d.version))
                IS DISTINCT FROM (d.user_id, d.model_name, d.version)
        """

    static let subtractDuplicates = """
        UPDATE sluice.device_state s SET readings = s.readings - b.duplicates
        FROM unnest($1::bigint[], $2::bigint[]) AS b(device_key, duplicates)
        WHERE s.device_key = b.device_key
        """

    /// `bodies` may repeat; the same bad reading of a device is one row.
    static let quarantine = """
        INSERT INTO sluice.quarantine
            (device_key, device_id, reason, body, reading_index, api_key)
        SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bytea[], $5::int4[],
            $6::text[])
        ON CONFLICT DO NOTHING
        """
}
