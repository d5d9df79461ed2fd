import Foundation

/// The names of time zones that may be stored for a user.
///
/// Days are counted by PostgreSQL and by Foundation, so both must read a name alike. PostgreSQL takes
/// much more than names: it reads `GMT+5` as a POSIX rule, five hours *behind* UTC, and Foundation as
/// five hours ahead; `IST` is Israel's abbreviation to one and India's to the other.
public enum TimeZoneNames {
    /// The size limit of a name; those of the IANA database have at most 32 bytes.
    static let bytesMax = 64

    /// Whether a name may be stored: see ``known(_:on:)``. Takes some tens of milliseconds, because
    /// PostgreSQL opens the file of every zone.
    public static func contains(
        _ name: String, on connection: Connection
    ) throws(PostgresError) -> Bool {
        try !known([name], on: connection).isEmpty
    }

    /// Those of some names that are in `pg_timezone_names`, spelled as there, and that Foundation
    /// knows with the same offset in every month of this year.
    static func known(
        _ names: [String], on connection: Connection
    ) throws(PostgresError) -> Set<String> {
        var zones: [String: TimeZone] = [:]
        for name in names where name.utf8.count <= bytesMax && !name.utf8.contains(0) {
            zones[name] = TimeZone(identifier: name)
        }
        guard !zones.isEmpty else { return [] }
        var parameters = Parameters()
        parameters.append(texts: zones.keys.map(Optional.some))
        // posix/ and right/ are the same zones once more, the latter with leap seconds. Factory is
        // the mark of a machine without a zone.
        let rows = try connection.query(
            """
            select z.name, extract(epoch from m.moment)::int8,
                extract(epoch from (m.moment at time zone z.name) - (m.moment at time zone 'UTC'))::int8
            from pg_catalog.pg_timezone_names z
            cross join (
                select make_timestamptz(
                    extract(year from now() at time zone 'UTC')::int, month, 15, 0, 0, 0, 'UTC')
                from generate_series(1, 12) month) m (moment)
            where z.name = any ($1) and z.name !~ '^(posix|right)/' and z.name <> 'Factory'
            """, parameters)
        var found: Set<String> = []
        var differing: Set<String> = []
        for row in 0..<rows.count {
            let name = rows.string(row, 0)
            let moment = Date(timeIntervalSince1970: TimeInterval(rows.int64(row, 1)))
            let isAlike = zones[name]?.secondsFromGMT(for: moment) == Int(rows.int64(row, 2))
            if isAlike { found.insert(name) } else { differing.insert(name) }
        }
        return found.subtracting(differing)
    }
}
