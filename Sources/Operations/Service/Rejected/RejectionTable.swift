import Encodings
import Foundation
public import Postgres
public import Readings

/// A table of what was rejected and is kept: what operators do with it.
///
/// Rows get in by the lanes only. The primary key is whose or of what kind a row is, and the SHA-256
/// of its bytes.
public struct RejectionTable<Row: Sendable>: Sendable {
    let name: String
    /// As `read` takes them.
    let columns: String
    /// First column of the primary key.
    let key: String
    /// Its type; all but the sort of it goes over the wire as text.
    let keyType: String
    /// Its least value.
    let keyMin: String
    /// The column that a filter's origin is compared with.
    let origin: String
    /// The column's texts are lower-case, and those of a filter may not be.
    let isOriginLowerCase: Bool
    /// How rows of one moment are listed.
    let tieBreak: String
    /// The columns by which rows are counted, all of them texts.
    let groups: [String]
    let groupOrder: String
    let read: @Sendable (Rows, Int) -> Row
    let keyOf: @Sendable (Row) -> (key: String, digest: [UInt8])

    /// Rows that match, the newest first.
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

    /// How many match, by reason.
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

    /// Removes what matches, for good.
    ///
    /// - Returns: how many there were.
    public func drop(
        _ filter: RejectionFilter, on connection: Connection
    ) throws(PostgresError) -> Int {
        try connection.query(
            "delete from sluice.\(name) where \(matches)", parameters(filter)
        ).affectedCount
    }

    /// Removes these rows.
    func drop(_ dropped: [Row], on connection: Connection) throws(PostgresError) {
        guard !dropped.isEmpty else { return }
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

    /// Goes through all rows that match in the order of the primary key, once each.
    func forEachPage(
        _ filter: RejectionFilter, on connection: Connection,
        _ body: ([Row]) throws(PostgresError) -> Void
    ) throws(PostgresError) {
        var last = (key: keyMin, digest: [UInt8]())
        while true {
            var parameters = parameters(filter)
            parameters.append(text: last.key)
            parameters.append(bytea: last.digest)
            parameters.append(int8: Int64(Self.pageRows))
            let rows = try connection.query(
                """
                select \(columns) from sluice.\(name)
                where (\(key), digest) > ($4::\(keyType), $5) and \(matches)
                order by \(key), digest limit $6
                """, parameters)
            let page = (0..<rows.count).map { read(rows, $0) }
            guard let end = page.last else { return }
            try body(page)
            last = keyOf(end)
        }
    }

    /// Rows read, offered and removed together.
    private static var pageRows: Int { 200 }

    /// `$1` to `$3`.
    private var matches: String {
        """
        ($1 is null or \(origin) = $1) and ($2 is null or reason = $2)
        and (cardinality($3) = 0
            or exists (select from unnest($3) p (id) where encode(digest, 'hex') ^@ p.id))
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

/// Which rows a command is about; what is not set doesn't narrow it.
public struct RejectionFilter: Sendable, Equatable {
    /// First hexadecimal digits of digests; a row matches one of them.
    public var ids: [String]
    /// The device that sent a reading, in any case; the kind of a unit, such as `meal_log.natural`.
    public var origin: String?
    /// As ``Readings/QuarantineReason`` spells it; of units such as `refused_by_database`.
    public var reason: String?

    /// - Parameters: each narrows it.
    public init(ids: [String], origin: String?, reason: String?) {
        self.ids = ids
        self.origin = origin
        self.reason = reason
    }

    /// Whether it leaves nothing out.
    public var isEverything: Bool { ids.isEmpty && origin == nil && reason == nil }
}

/// A row of `sluice.quarantine`.
public struct QuarantinedRow: Sendable, Equatable {
    let deviceKey: Int64
    /// SHA-256 of ``body``.
    let digest: [UInt8]
    /// The device that sent it, lower-cased.
    public let deviceID: String
    /// Why it was set aside, the first time.
    public let reason: String
    /// The reading as sent; cut when it was too large.
    public let body: [UInt8]
    /// Its place in the batch that brought it first; negative when unknown.
    public let index: Int
    /// Name of the key that the batch came with.
    public let keyName: String
    /// When it came first.
    public let receivedAt: Timestamp

    /// What operators call it: the first twelve hexadecimal digits of its digest. The same bytes of
    /// two devices have one name.
    public var id: String { Hexadecimal.text(digest.prefix(6)) }
}

extension RejectionTable<QuarantinedRow> {
    /// Readings that were set aside, in the transaction of their batch; counted by reason, the most
    /// frequent first.
    public static var quarantine: RejectionTable {
        RejectionTable(
            name: "quarantine",
            columns: """
                device_key, digest, device_id, reason, body, reading_index, api_key, received_at
                """,
            key: "device_key", keyType: "bigint", keyMin: "\(Int64.min)", origin: "device_id",
            isOriginLowerCase: true, tieBreak: "reading_index desc", groups: ["reason"],
            groupOrder: "count(*) desc, reason",
            read: { rows, row in
                QuarantinedRow(
                    deviceKey: rows.int64(row, 0), digest: [UInt8](rows.bytes(row, 1)),
                    deviceID: rows.string(row, 2), reason: rows.string(row, 3),
                    body: [UInt8](rows.bytes(row, 4)), index: Int(rows.int32(row, 5)),
                    keyName: rows.string(row, 6),
                    receivedAt: Timestamp(microseconds: rows.timestamp(row, 7)))
            }, keyOf: { ("\($0.deviceKey)", $0.digest) })
    }
}

/// A row of `sluice.unit_set_aside`.
public struct RejectedUnit: Sendable, Equatable {
    /// Its kind's name.
    public let kind: String
    /// SHA-256 of ``payload``.
    let digest: [UInt8]
    /// As its kind's statement takes it: JSON.
    public let payload: [UInt8]
    /// Why it was rejected.
    public let reason: String
    /// With what the database refused it; nil: it was not asked.
    public let sqlState: String?
    /// When it was accepted.
    public let receivedAt: Timestamp

    /// What operators call it: the first twelve hexadecimal digits of its digest.
    public var id: String { Hexadecimal.text(digest.prefix(6)) }

    /// Whose it is, for the order in which lanes write: every kind's payload says it.
    var owner: String {
        let object = try? JSONSerialization.jsonObject(with: Data(payload))
        return (object as? [String: Any])?["user"] as? String ?? id
    }
}

extension RejectionTable<RejectedUnit> {
    /// Units from the spool that the database refused; counted by kind and reason.
    public static var units: RejectionTable {
        RejectionTable(
            name: "unit_set_aside",
            columns: "kind, digest, payload, reason, sqlstate, received_at",
            key: "kind", keyType: "text", keyMin: "", origin: "kind", isOriginLowerCase: false,
            tieBreak: "kind, digest", groups: ["kind", "reason"], groupOrder: "kind, reason",
            read: { rows, row in
                RejectedUnit(
                    kind: rows.string(row, 0), digest: [UInt8](rows.bytes(row, 1)),
                    payload: [UInt8](rows.bytes(row, 2)), reason: rows.string(row, 3),
                    sqlState: rows.isNull(row, 4) ? nil : rows.string(row, 4),
                    receivedAt: Timestamp(microseconds: rows.timestamp(row, 5)))
            }, keyOf: { ($0.kind, $0.digest) })
    }
}
