import Encodings
import Foundation
public import Postgres
import Readings

/// A table of rejected rows and the operators' actions on it.
///
/// Only lanes insert rows. The primary key is the device or kind, and the SHA-256 of the bytes.
public struct RejectionTable<Row: Sendable>: Sendable {
    let name: String
    /// In the order in which `read` expects them.
    let columns: String
    /// The first column of the primary key.
    let key: String
    /// The key's SQL type. Key values are sent as text and cast to it.
    let keyType: String
    /// The key's lowest value.
    let keyMin: String
    /// The column that a filter's origin is compared with.
    let origin: String
    /// Whether the column is lower-case, so that a filter's origin must be lower-cased.
    let isOriginLowerCase: Bool
    /// The order of rows with the same time.
    let tieBreak: String
    /// The text columns by which rows are counted.
    let groups: [String]
    let groupOrder: String
    /// The row's id for operators as SQL: hexadecimal text, of which they give the first digits.
    let id: String
    let read: @Sendable (Rows, Int) -> Row
    let keyOf: @Sendable (Row) -> Key

    /// The primary key, and the time of receipt.
    struct Key: Sendable {
        var receivedAt: Int64
        var key: String
        var digest: [UInt8]
    }

    /// Matching rows, newest first.
    public func list(
        _ filter: RejectionFilter, limit: Int, on connection: Connection
    ) throws(PostgresError) -> [Row] {
        var parameters = parameters(filter)
        parameters.append(int8: Int64(limit))
        let rows = try connection.query(
            """
            select \(columns) from sluice.\(name) where \(matches)
            order by received_at desc, \(tieBreak) limit $4
            """, parameters)
        return (0..<rows.count).map { read(rows, $0) }
    }

    /// The number of matching rows in each group.
    public func count(
        _ filter: RejectionFilter, on connection: Connection
    ) throws(PostgresError) -> [(group: [String], count: Int)] {
        let columns = groups.joined(separator: ", ")
        let rows = try connection.query(
            """
            select count(*), \(columns) from sluice.\(name) where \(matches)
            group by \(columns) order by \(groupOrder)
            """, parameters(filter))
        return (0..<rows.count).map { row in
            (groups.indices.map { rows.string(row, 1 + $0) }, Int(rows.int64(row, 0)))
        }
    }

    /// Deletes the matching rows for good.
    ///
    /// - Returns: the number of deleted rows.
    public func drop(
        _ filter: RejectionFilter, on connection: Connection
    ) throws(PostgresError) -> Int {
        try connection.query(
            "delete from sluice.\(name) where \(matches)", parameters(filter)
        ).affectedCount
    }

    /// Deletes these rows.
    func drop(_ dropped: [Row], on connection: Connection) throws(PostgresError) {
        guard !dropped.isEmpty else { return }
        connection.deadline = .now + Self.statementMax
        let keys = dropped.map(keyOf)
        var parameters = Parameters()
        parameters.append(texts: keys.map { $0.key })
        parameters.append(byteas: keys.map { $0.digest })
        try connection.query(
            """
            delete from sluice.\(name) r
            using unnest($1::\(keyType)[], $2) d (key, digest)
            where r.\(key) = d.key and r.digest = d.digest
            """, parameters)
    }

    /// Reads matching rows in pages, each row once, in the order in which they were received: what
    /// two users sent alike belongs to the first of them.
    ///
    /// - Parameter body: returns whether to go on.
    func forEachPage(
        _ filter: RejectionFilter, on connection: Connection,
        _ body: ([Row]) throws(PostgresError) -> Bool
    ) throws(PostgresError) {
        // The binary form of -infinity.
        var last = Key(receivedAt: .min, key: keyMin, digest: [])
        while true {
            // A page may wait long for its days; the next has its own time.
            connection.deadline = .now + Self.statementMax
            var parameters = parameters(filter)
            parameters.append(timestamptz: last.receivedAt)
            parameters.append(text: last.key)
            parameters.append(bytea: last.digest)
            parameters.append(int8: Int64(Self.pageRows))
            let rows = try connection.query(
                """
                select \(columns) from sluice.\(name)
                where (received_at, \(key), digest) > ($4, $5::\(keyType), $6) and \(matches)
                order by received_at, \(key), digest limit $7
                """, parameters)
            let page = (0..<rows.count).map { read(rows, $0) }
            guard let end = page.last, try body(page) else { return }
            last = keyOf(end)
        }
    }

    /// Rows that are read, offered and deleted together.
    private static var pageRows: Int { 200 }

    private static var statementMax: Duration { .seconds(120) }

    /// The condition of a filter; its parameters are `$1` to `$3`.
    private var matches: String {
        """
        ($1 is null or \(origin) = $1) and ($2 is null or reason = $2)
        and (cardinality($3) = 0
            or exists (select from unnest($3) p (id) where \(id) ^@ p.id))
        """
    }

    private func parameters(_ filter: RejectionFilter) -> Parameters {
        var parameters = Parameters()
        parameters.append(text: isOriginLowerCase ? filter.origin?.lowercased() : filter.origin)
        parameters.append(text: filter.reason)
        parameters.append(texts: filter.ids.map { $0.lowercased() })
        return parameters
    }
}

extension RejectionTable<QuarantinedRow> {
    /// Readings that were quarantined in the transaction of their batch; counted by reason, the
    /// most frequent first.
    public static var quarantine: RejectionTable {
        RejectionTable(
            name: "quarantine",
            columns: """
                device_key, digest, device_id, reason, body, reading_index, api_key, received_at,
                coalesce(user_id, (
                    select d.user_id from sluice.device d where d.device_key = quarantine.device_key
                ), device_id), left(\(quarantineID), 12)
                """,
            key: "device_key", keyType: "bigint", keyMin: "\(Int64.min)", origin: "device_id",
            isOriginLowerCase: true, tieBreak: "reading_index desc", groups: ["reason"],
            groupOrder: "count(*) desc, reason", id: quarantineID,
            read: { rows, row in
                QuarantinedRow(
                    deviceKey: rows.int64(row, 0), digest: [UInt8](rows.bytes(row, 1)),
                    deviceID: rows.string(row, 2), userID: rows.string(row, 8),
                    reason: rows.string(row, 3),
                    body: [UInt8](rows.bytes(row, 4)), index: Int(rows.int32(row, 5)),
                    keyName: rows.string(row, 6),
                    receivedAt: Timestamp(microseconds: rows.timestamp(row, 7)),
                    id: rows.string(row, 9))
            },
            keyOf: { row in
                Key(
                    receivedAt: row.receivedAt.microseconds, key: "\(row.deviceKey)",
                    digest: row.digest)
            })
    }

    /// Of device, user and bytes: several users may have sent the same bytes.
    private static var quarantineID: String {
        "encode(sha256(int8send(device_key) || digest), 'hex')"
    }
}

extension RejectionTable<RejectedUnit> {
    /// Units from the spool that the database rejected; counted by kind and reason.
    public static var units: RejectionTable {
        RejectionTable(
            name: "unit_set_aside",
            columns: "kind, digest, payload, reason, sqlstate, received_at",
            key: "kind", keyType: "text", keyMin: "", origin: "kind", isOriginLowerCase: false,
            tieBreak: "kind, digest", groups: ["kind", "reason"], groupOrder: "kind, reason",
            id: "encode(digest, 'hex')",
            read: { rows, row in
                RejectedUnit(
                    kind: rows.string(row, 0), digest: [UInt8](rows.bytes(row, 1)),
                    payload: [UInt8](rows.bytes(row, 2)), reason: rows.string(row, 3),
                    sqlState: rows.isNull(row, 4) ? nil : rows.string(row, 4),
                    receivedAt: Timestamp(microseconds: rows.timestamp(row, 5)))
            },
            keyOf: { row in
                Key(receivedAt: row.receivedAt.microseconds, key: row.kind, digest: row.digest)
            })
    }
}
