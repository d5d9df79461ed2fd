import JSONText
import Postgres
import Readings

/// When each device was heard last, from the database, and the last refusals of senders, from
/// memory: why nothing comes from a device is often the answer that it got.
///
/// One pass over `device_state` finds the newest ``devicesMax``; see ``LatestPositions``.
final class HeardDevices: Sendable {
    static let devicesMax = 200
    private static let statementMax = Duration.seconds(3)

    private let refusals: RefusalBoard
    private let devices: SharedAnswer

    init(database: Database, refusals: RefusalBoard) {
        self.refusals = refusals
        devices = SharedAnswer {
            try await database.withConnection(useMax: Self.statementMax * 2) { connection in
                try connection.transaction { try Self.query(connection) }
            }
        }
    }

    /// `{"at":…,"limit":…,"devices":[{"device":…,"heard":…},…],"refusals":[{"key":…,"device":…,
    /// "route":…,"at":…,"status":…,"sentence":…,"count":…},…]}`, newest first. `devices` is null
    /// while the database is unreachable; a key or device that is unknown is null.
    func json(now: Timestamp = .now()) async -> String {
        let devices = (try? await devices.json()) ?? "null"
        let refusals = refusals.refusals.map(Self.json).joined(separator: ",")
        return "{\"at\":\"\(now.secondsText)\",\"limit\":\(Self.devicesMax),\"devices\":\(devices),"
            + "\"refusals\":[\(refusals)]}"
    }

    private static func json(_ refusal: RefusalBoard.Refusal) -> String {
        func text(_ text: String?) -> String { text.map(JSONString.quoted) ?? "null" }
        return "{\"key\":\(text(refusal.sender.key)),\"device\":\(text(refusal.sender.device)),"
            + "\"route\":\(text(refusal.sender.route)),"
            + "\"at\":\"\(Timestamp(unixSeconds: refusal.unixSeconds).secondsText)\","
            + "\"status\":\(refusal.status),\"sentence\":\(text(refusal.sentence)),"
            + "\"count\":\(refusal.count)}"
    }

    /// A device of several users is listed once.
    private static func query(_ connection: Connection) throws -> String {
        try connection.execute(
            """
            set transaction read only;
            set local statement_timeout = '\(statementMax.components.seconds)s'
            """)
        let rows = try connection.query(
            """
            select coalesce(json_agg(json_build_object(
                'device', h.device_id, 'heard',
                to_char(h.heard at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))
                order by h.heard desc, h.device_id), '[]'::json)::text
            from (
                select d.device_id, max(s.last_seen) as heard
                from sluice.device_state s
                join sluice.device d using (device_key)
                where s.device_key = any (array(
                    select device_key
                    from sluice.device_state
                    order by last_seen desc
                    limit \(devicesMax)))
                group by d.device_id
            ) h
            """)
        return rows.string(0, 0)
    }
}
