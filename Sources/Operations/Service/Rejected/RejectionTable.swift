import Encodings
public import Postgres
public import Readings

/// The table `sluice.quarantine`: what operators do with it.
///
/// Rows get in by the lanes only, in the transaction of their batch.
public enum QuarantineStore {
    /// Rows that match, the newest first.
    public static func list(
        _ filter: QuarantineFilter, limit: Int, on connection: Connection
    ) throws(PostgresError) -> [QuarantinedRow] {
        var parameters = parameters(filter)
        parameters.append(int8: Int64(limit))
        let rows = try connection.query(
            """
            select \(columns) from sluice.quarantine q where \(matches)
            order by received_at desc, reading_index desc limit $4
            """, parameters)
        return (0..<rows.count).map { row(rows, $0) }
    }

    /// How many match, by reason, the most frequent first.
    public static func count(
        _ filter: QuarantineFilter, on connection: Connection
    ) throws(PostgresError) -> [(reason: String, count: Int)] {
        let rows = try connection.query(
            """
            select reason, count(*) from sluice.quarantine q where \(matches)
            group by reason order by count(*) desc, reason
            """, parameters(filter))
        return (0..<rows.count).map { (rows.string($0, 0), Int(rows.int64($0, 1))) }
    }

    /// Removes what matches, for good.
    ///
    /// - Returns: how many there were.
    public static func drop(
        _ filter: QuarantineFilter, on connection: Connection
    ) throws(PostgresError) -> Int {
        try connection.query(
            "delete from sluice.quarantine q where \(matches)", parameters(filter)
        ).affectedCount
    }

    /// Removes these rows.
    static func drop(
        _ dropped: [QuarantinedRow], on connection: Connection
    ) throws(PostgresError) {
        guard !dropped.isEmpty else { return }
        var parameters = Parameters()
        parameters.append(int8s: dropped.map(\.deviceKey))
        parameters.append(byteas: dropped.map(\.digest))
        try connection.query(
            """
            delete from sluice.quarantine q using unnest($1, $2) d (device_key, digest)
            where q.device_key = d.device_key and q.digest = d.digest
            """, parameters)
    }

    /// A page of what matches, in the order of the primary key.
    ///
    /// - Parameter after: the last row of the page before.
    static func page(
        _ filter: QuarantineFilter, after: QuarantinedRow?, size: Int, on connection: Connection
    ) throws(PostgresError) -> [QuarantinedRow] {
        var parameters = parameters(filter)
        parameters.append(int8: after?.deviceKey ?? .min)
        parameters.append(bytea: after?.digest ?? [])
        parameters.append(int8: Int64(size))
        let rows = try connection.query(
            """
            select \(columns) from sluice.quarantine q
            where (device_key, digest) > ($4, $5) and \(matches)
            order by device_key, digest limit $6
            """, parameters)
        return (0..<rows.count).map { row(rows, $0) }
    }

    private static let columns = """
        device_key, digest, device_id, reason, body, reading_index, api_key, received_at
        """

    /// `$1` to `$3`.
    private static let matches = """
        ($1 is null or device_id = $1) and ($2 is null or reason = $2)
        and (cardinality($3) = 0
            or exists (select from unnest($3) p (id) where encode(digest, 'hex') ^@ p.id))
        """

    private static func parameters(_ filter: QuarantineFilter) -> Parameters {
        var parameters = Parameters()
        parameters.append(text: filter.deviceID?.lowercased())
        parameters.append(text: filter.reason)
        parameters.append(texts: filter.ids.map { $0.lowercased() })
        return parameters
    }

    private static func row(_ rows: Rows, _ row: Int) -> QuarantinedRow {
        QuarantinedRow(
            deviceKey: rows.int64(row, 0), digest: [UInt8](rows.bytes(row, 1)),
            deviceID: rows.string(row, 2), reason: rows.string(row, 3),
            body: [UInt8](rows.bytes(row, 4)), index: Int(rows.int32(row, 5)),
            keyName: rows.string(row, 6),
            receivedAt: Timestamp(microseconds: rows.timestamp(row, 7)))
    }
}

/// Which rows of the quarantine a command is about; what is not set doesn't narrow it.
public struct QuarantineFilter: Sendable, Equatable {
    /// First hexadecimal digits of digests; a row matches one of them.
    public var ids: [String] = []
    /// The device that sent it, in any case.
    public var deviceID: String?
    /// As ``Readings/QuarantineReason`` spells it.
    public var reason: String?

    /// Every row.
    public init() {}

    /// Whether it leaves nothing out.
    public var isEverything: Bool {
        ids.isEmpty && deviceID == nil && reason == nil
    }
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
    public var id: String {
        Hexadecimal.text(digest.prefix(6))
    }
}
