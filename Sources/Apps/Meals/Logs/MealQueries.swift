public import Postgres
public import Readings

/// The queries of the routes about stored logs: one statement each, two for a list and for an edit.
///
/// Another user's log is `.foreign`. An id that is not a UUID is `.notFound`.
public enum MealQueries {
    /// `GET /api/v1/meal-logs/{id}`
    public static func log(
        _ id: String, ofUser user: String, on connection: Connection
    ) throws(PostgresError) -> MealAnswer {
        guard let id = MealID.canonical(id) else { return .notFound }
        var parameters = Parameters()
        parameters.append(text: id)
        let rows = try connection.query(
            """
            select \(MealRows.columns)
            from sluice.meal_log l
            left join sluice.meal_log_item i on i.meal_log_id = l.meal_log_id
            where l.meal_log_id = $1::text::uuid
            order by i.order_index
            """, parameters)
        guard let log = MealRows.logs(rows).first else { return .notFound }
        return log.user == user ? .done(json: log.body()) : .foreign
    }

    /// `GET /api/v1/meal-logs`: by `logged_at`, the latest first.
    public static func logs(
        _ filter: MealFilter, ofUser user: String, on connection: Connection
    ) throws(PostgresError) -> String {
        var parameters = Parameters()
        parameters.append(text: user)
        parameters.append(text: filter.status?.rawValue)
        parameters.append(text: filter.mealType?.rawValue)
        // Without a bound the ends of time are used, so that the index is used in both cases.
        parameters.append(timestamptz: filter.start?.microseconds ?? .min)
        parameters.append(timestamptz: filter.end?.microseconds ?? .max)
        let condition = """
            user_id = $1 and ($2::text is null or status = $2)
                and ($3::text is null or meal_type = $3) and logged_at >= $4 and logged_at < $5
            """
        let total = try connection.query(
            "select count(*) from sluice.meal_log where \(condition)", parameters
        ).int64(0, 0)
        parameters.append(int8: Int64(filter.part.limit))
        parameters.append(int8: Int64(filter.part.offset))
        let rows = try connection.query(
            """
            select \(MealRows.columns)
            from (
                select * from sluice.meal_log
                where \(condition)
                order by logged_at desc, meal_log_id
                limit $6 offset $7
            ) l
            left join sluice.meal_log_item i on i.meal_log_id = l.meal_log_id
            order by l.logged_at desc, l.meal_log_id, i.order_index
            """, parameters)
        let logs = MealRows.logs(rows)
        return JSONWriter.object { json in
            json.key("data")
            json.object { json in
                json.key("meal_logs")
                json.array(logs) { json, log in json.object { log.writeMembers(to: &$0) } }
                filter.part.write(total: Int(total), shown: logs.count, to: &json)
            }
        }
    }

    /// `PUT /api/v1/meal-logs/{id}`: replaces the items and totals. The log becomes `completed`
    /// from any status. A result that was not delivered yet is dropped.
    public static func replace(
        _ id: String, with edit: MealEdit, byUser user: String, now: Timestamp,
        on connection: Connection
    ) throws(PostgresError) -> MealAnswer {
        guard let id = MealID.canonical(id) else { return .notFound }
        var parameters = Parameters()
        parameters.append(text: id)
        parameters.append(text: user)
        parameters.append(text: edit.mealType?.rawValue)
        parameters.append(timestamptz: edit.loggedAt?.microseconds)
        parameters.append(jsonb: MealTotals(edit.items).storedJSON)
        parameters.append(jsonb: LoggedItem.made(edit.items, at: now).storedJSON)
        parameters.append(timestamptz: now.microseconds)
        let rows = try connection.query(
            "select sluice.replace_meal_log($1::text::uuid, $2, $3, $4, $5, $6, $7)", parameters)
        switch rows.string(0, 0) {
        case "done": return try log(id, ofUser: user, on: connection)
        case "foreign": return .foreign
        default: return .notFound
        }
    }

    /// `PATCH /api/v1/meal-logs/{id}`: changes type and time, and leaves items, totals and status.
    public static func change(
        _ id: String, _ change: MealChange, byUser user: String, now: Timestamp,
        on connection: Connection
    ) throws(PostgresError) -> MealAnswer {
        guard let id = MealID.canonical(id) else { return .notFound }
        var parameters = Parameters()
        parameters.append(text: id)
        parameters.append(text: user)
        parameters.append(text: change.mealType?.rawValue)
        parameters.append(timestamptz: change.loggedAt?.microseconds)
        parameters.append(timestamptz: now.microseconds)
        let rows = try connection.query(
            """
            with changed as (
                update sluice.meal_log l set
                    meal_type = coalesce($3, l.meal_type), logged_at = coalesce($4, l.logged_at),
                    updated_at = $5
                where l.meal_log_id = $1::text::uuid and l.user_id = $2
                returning 1
            )
            select exists (select from changed),
                exists (select from sluice.meal_log l where l.meal_log_id = $1::text::uuid)
            """, parameters)
        if rows.bool(0, 0) { return try log(id, ofUser: user, on: connection) }
        return rows.bool(0, 1) ? .foreign : .notFound
    }

    /// `DELETE /api/v1/meal-logs/{id}`: also deletes a result that was not delivered yet.
    public static func delete(
        _ id: String, byUser user: String, on connection: Connection
    ) throws(PostgresError) -> MealAnswer {
        guard let id = MealID.canonical(id) else { return .notFound }
        var parameters = Parameters()
        parameters.append(text: id)
        parameters.append(text: user)
        let rows = try connection.query(
            "select sluice.delete_meal_log($1::text::uuid, $2)", parameters)
        switch rows.string(0, 0) {
        case "done": return .done(json: "")
        case "foreign": return .foreign
        default: return .notFound
        }
    }
}
