import Encodings
import Foundation
import Ingestion
public import Postgres
public import Readings

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
    public var id: String {
        Hexadecimal.text(digest.prefix(6))
    }

    /// Whose it is, for the order in which lanes write: every kind's payload says it.
    var owner: String {
        let object = try? JSONSerialization.jsonObject(with: Data(payload))
        return (object as? [String: Any])?["user"] as? String ?? id
    }
}

/// The table `sluice.unit_set_aside`: what operators do with it.
///
/// Rows get in by the lanes only, when a unit from the spool is refused by the database.
public enum RejectedUnits {
    /// Rows that match, the newest first.
    public static func list(
        _ filter: RejectedUnitFilter, limit: Int, on connection: Connection
    ) throws(PostgresError) -> [RejectedUnit] {
        var parameters = parameters(filter)
        parameters.append(int8: Int64(limit))
        let rows = try connection.query(
            """
            select \(columns) from sluice.unit_set_aside u where \(matches)
            order by received_at desc, kind, digest limit $4
            """, parameters)
        return (0..<rows.count).map { row(rows, $0) }
    }

    /// How many match, by kind and reason.
    public static func count(
        _ filter: RejectedUnitFilter, on connection: Connection
    ) throws(PostgresError) -> [(kind: String, reason: String, count: Int)] {
        let rows = try connection.query(
            """
            select kind, reason, count(*) from sluice.unit_set_aside u where \(matches)
            group by kind, reason order by kind, reason
            """, parameters(filter))
        return (0..<rows.count).map {
            (rows.string($0, 0), rows.string($0, 1), Int(rows.int64($0, 2)))
        }
    }

    /// Removes what matches, for good.
    ///
    /// - Returns: how many there were.
    public static func drop(
        _ filter: RejectedUnitFilter, on connection: Connection
    ) throws(PostgresError) -> Int {
        try connection.query(
            "delete from sluice.unit_set_aside u where \(matches)", parameters(filter)
        ).affectedCount
    }

    /// Removes these rows.
    static func drop(_ dropped: [RejectedUnit], on connection: Connection) throws(PostgresError) {
        guard !dropped.isEmpty else { return }
        var parameters = Parameters()
        parameters.append(texts: dropped.map(\.kind))
        parameters.append(byteas: dropped.map(\.digest))
        try connection.query(
            """
            delete from sluice.unit_set_aside u using unnest($1, $2) d (kind, digest)
            where u.kind = d.kind and u.digest = d.digest
            """, parameters)
    }

    /// A page of what matches, in the order of the primary key.
    ///
    /// - Parameter after: the last row of the page before.
    static func page(
        _ filter: RejectedUnitFilter, after: RejectedUnit?, size: Int, on connection: Connection
    ) throws(PostgresError) -> [RejectedUnit] {
        var parameters = parameters(filter)
        parameters.append(text: after?.kind ?? "")
        parameters.append(bytea: after?.digest ?? [])
        parameters.append(int8: Int64(size))
        let rows = try connection.query(
            """
            select \(columns) from sluice.unit_set_aside u
            where (kind, digest) > ($4, $5) and \(matches)
            order by kind, digest limit $6
            """, parameters)
        return (0..<rows.count).map { row(rows, $0) }
    }

    private static let columns = "kind, digest, payload, reason, sqlstate, received_at"

    /// `$1` to `$3`.
    private static let matches = """
        ($1 is null or kind = $1) and ($2 is null or reason = $2)
        and (cardinality($3) = 0
            or exists (select from unnest($3) p (id) where encode(digest, 'hex') ^@ p.id))
        """

    private static func parameters(_ filter: RejectedUnitFilter) -> Parameters {
        var parameters = Parameters()
        parameters.append(text: filter.kind)
        parameters.append(text: filter.reason)
        parameters.append(texts: filter.ids.map { $0.lowercased() })
        return parameters
    }

    private static func row(_ rows: Rows, _ row: Int) -> RejectedUnit {
        RejectedUnit(
            kind: rows.string(row, 0), digest: [UInt8](rows.bytes(row, 1)),
            payload: [UInt8](rows.bytes(row, 2)), reason: rows.string(row, 3),
            sqlState: rows.isNull(row, 4) ? nil : rows.string(row, 4),
            receivedAt: Timestamp(microseconds: rows.timestamp(row, 5)))
    }
}

/// Which rejected units a command is about; what is not set doesn't narrow it.
public struct RejectedUnitFilter: Sendable, Equatable {
    /// First hexadecimal digits of digests; a row matches one of them.
    public var ids: [String] = []
    /// Such as `capture` or `meal_log.natural`.
    public var kind: String?
    /// Such as `refused_by_database`.
    public var reason: String?

    /// Every row.
    public init() {}

    /// Whether it leaves nothing out.
    public var isEverything: Bool { ids.isEmpty && kind == nil && reason == nil }
}
