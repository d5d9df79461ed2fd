import Jobs
import Postgres
import Readings

/// The input of a run.
struct MealToParse: Sendable {
    let log: MealLog
    /// The user's own foods; nil if there are none.
    let own: FoodIndex?
    /// The version of everybody's foods that the parser must have at least.
    let version: Int64

    /// - Returns: nil if the log is gone or not in `processing`.
    static func read(_ id: String, on connection: Connection) throws(PostgresError) -> Self? {
        guard let id = MealID.canonical(id) else { return nil }
        var parameters = Parameters()
        parameters.append(text: id)
        let rows = try connection.query(
            """
            select l.user_id, l.raw_input, l.meal_type, l.logged_at, l.created_at,
                l.consultation_id::text, v.version,
                exists (select from sluice.user_food f where f.user_id = l.user_id)
            from sluice.meal_log l, sluice.food_version v
            where l.meal_log_id = $1::text::uuid and l.status = 'processing'
            """, parameters)
        guard rows.count == 1 else { return nil }
        let created = MealRows.moment(rows, 0, 4)
        let log = MealLog(
            id: id, user: rows.string(0, 0), rawInput: MealRows.text(rows, 0, 1),
            mealType: MealRows.word(rows, 0, 2), status: .processing,
            loggedAt: MealRows.moment(rows, 0, 3), createdAt: created, updatedAt: created,
            consultation: MealRows.text(rows, 0, 5))
        let own =
            rows.bool(0, 7) ? try StoredFoods.own(ofUser: log.user, on: connection) : nil
        return Self(log: log, own: own, version: rows.int64(0, 6))
    }
}
