import Postgres
import Readings

/// `hour_due`, `hour_summary` and `day_summary`. Call everything here with the user's row locked.
extension AnalysisStore {
    /// Notes that hours are to be condensed, even those that already were.
    static func noteDue(
        _ hours: Set<Timestamp>, user userID: String, on connection: Connection
    ) throws {
        var parameters = texts(userID)
        parameters.append(timestamptzs: hours.sorted().map(\.microseconds))
        try connection.query(
            """
            insert into sluice.hour_due (user_id, hour) select $1, h from unnest($2) h
            on conflict do nothing
            """, parameters)
    }

    /// The hours that are to be condensed, earliest first.
    static func due(
        user userID: String, max: Int, on connection: Connection
    ) throws -> [Timestamp] {
        var parameters = texts(userID)
        parameters.append(int8: Int64(max))
        let rows = try connection.query(
            """
            select hour from sluice.hour_due where user_id = $1 and hour \(isUsable)
            order by hour limit $2
            """, parameters)
        return (0..<rows.count).map { time(rows, $0, 0) }
    }

    /// Stores a condensed hour, or deletes it when it has no captures any more.
    static func store(
        _ summary: HourSummary?, hour: Timestamp, user: User, on connection: Connection
    ) throws {
        var parameters = texts(user.id)
        parameters.append(timestamptz: hour.microseconds)
        try connection.query(
            "delete from sluice.hour_due where user_id = $1 and hour = $2", parameters)
        guard let summary else {
            try connection.query(
                "delete from sluice.hour_summary where user_id = $1 and hour = $2", parameters)
            return
        }
        parameters.append(text: user.timeZone)
        parameters.append(int4: Int32(summary.totalCaptures))
        parameters.append(jsonb: StoredJSON.text(summary))
        try connection.query(
            """
            insert into sluice.hour_summary (user_id, hour, time_zone, captures, content)
            values ($1, $2, $3, $4, $5)
            on conflict (user_id, hour) do update set
                time_zone = excluded.time_zone, captures = excluded.captures,
                content = excluded.content, condensed_at = now()
            """, parameters)
    }

    /// Notes the time of a condensation. The next one runs at least an hour later.
    static func noteCondensed(
        _ userID: String, at time: Timestamp, on connection: Connection
    ) throws {
        var parameters = texts(userID)
        parameters.append(timestamptz: time.microseconds)
        try connection.query(
            "update sluice.app_user set condensed_at = $2 where user_id = $1", parameters)
    }

    /// Stores a day's summary, or deletes it when the day has no captures any more.
    static func store(
        _ summary: DaySummary?, day: LocalDay, isFinal: Bool, user: User,
        on connection: Connection
    ) throws {
        var parameters = texts(user.id)
        parameters.append(date: day.daysSince2000)
        guard let summary else {
            try connection.query(
                "delete from sluice.day_summary where user_id = $1 and date = $2", parameters)
            return
        }
        parameters.append(text: user.timeZone)
        parameters.append(bool: isFinal)
        parameters.append(jsonb: StoredJSON.text(summary))
        try connection.query(
            """
            insert into sluice.day_summary (user_id, date, time_zone, is_final, content)
            values ($1, $2, $3, $4, $5)
            on conflict (user_id, date) do update set
                time_zone = excluded.time_zone, is_final = excluded.is_final,
                content = excluded.content, updated_at = now()
            """, parameters)
    }

    /// Notes the time zone that a user's hours and days are made in.
    static func noteSummaryZone(_ user: User, on connection: Connection) throws {
        try connection.query(
            "update sluice.app_user set summary_time_zone = $2 where user_id = $1",
            texts(user.id, user.timeZone))
    }

    /// Deletes hours and days without captures in the user's current time zone, and notes all hours
    /// as due.
    static func reopen(
        _ user: User, hours: Set<Timestamp>, days: Set<LocalDay>, on connection: Connection
    ) throws {
        var parameters = texts(user.id)
        parameters.append(timestamptzs: hours.sorted().map(\.microseconds))
        for table in ["hour_summary", "hour_due"] {
            try connection.query(
                "delete from sluice.\(table) where user_id = $1 and not (hour = any ($2))",
                parameters)
        }
        parameters = texts(user.id)
        parameters.append(int4s: days.sorted().map(\.daysSince2000))
        try connection.query(
            """
            delete from sluice.day_summary
            where user_id = $1 and not (date - date '2000-01-01' = any ($2))
            """, parameters)
        try noteDue(hours, user: user.id, on: connection)
    }
}
