import Postgres

/// The fleet's last positions, for all viewers of the map (``SharedAnswer``).
///
/// A device is on the map once, where it was last, whoever its user was.
///
/// One pass over `device_state` finds the newest ``positionsMax`` positions. That table has one
/// small row per device and user, and no index for this, which every commit would have to update;
/// ``statementMax`` limits the time of the query.
final class LatestPositions: Sendable {
    /// Devices on the map.
    static let positionsMax = 500
    private static let statementMax = Duration.seconds(3)

    private let answer: SharedAnswer

    init(database: Database) {
        answer = SharedAnswer {
            try await database.withConnection(useMax: Self.statementMax * 2) { connection in
                try connection.transaction { try Self.query(connection) }
            }
        }
    }

    /// `{"at":…,"limit":…,"positions":[{"device":…,"t":…,"lat":…,"lon":…,"acc":…,"alt":…,
    /// "speed":…},…]}`, newest first; `acc` and `alt` in metres, `speed` in m/s, or null.
    func json() async throws -> String { try await answer.json() }

    private static func query(_ connection: Connection) throws -> String {
        try connection.execute(
            """
            set transaction read only;
            set local statement_timeout = '\(statementMax.components.seconds)s'
            """)
        let rows = try connection.query(
            """
            select json_build_object(
                'at', \(time("now()")), 'limit', \(positionsMax),
                'positions', coalesce(json_agg(json_build_object(
                    'device', p.device_id, 't', \(time("p.t")), 'lat', p.lat, 'lon', p.lon,
                    'acc', p.acc, 'alt', p.alt,
                    'speed', nullif(p.motion >> 30, 8589934591)::float8 / 1e6::float8)
                    order by p.t desc), '[]'::json))::text
            from (
                select distinct on (d.device_id) d.device_id, g.*
                from sluice.device_state s
                join sluice.device d using (device_key)
                cross join lateral (
                    select g.t, g.lat, g.lon, g.acc, g.alt, g.motion
                    from sluice.gps g
                    where g.device_key = s.device_key and g.t = s.gps_until
                    limit 1
                ) g
                where s.device_key = any (array(
                    select device_key
                    from sluice.device_state
                    where gps_until > '-infinity'
                    order by gps_until desc
                    limit \(positionsMax)))
                order by d.device_id, g.t desc
            ) p
            """)
        return rows.string(0, 0)
    }

    private static func time(_ value: String) -> String {
        "to_char(\(value) at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')"
    }
}
