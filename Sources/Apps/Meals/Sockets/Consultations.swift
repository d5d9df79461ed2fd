public import Postgres
public import Readings

/// Consultations: each has a socket on which its user writes meals. `POST /api/v1/consultations`
/// creates one.
public enum Consultations {
    /// - Parameters:
    ///   - body: on loan; empty, or any JSON object.
    ///   - user: the owner; see ``Meals/isUserID(_:)``.
    /// Checks the request and makes a consultation with a new id; it is not stored yet.
    public static func create(
        _ body: UnsafeRawBufferPointer, forUser user: String, now: Timestamp
    ) throws(MealFault) -> NewConsultation {
        precondition(Meals.isUserID(user), "BUG: a user id that was not checked")
        if !body.isEmpty { _ = try JSONObject.body(body) }
        return NewConsultation(id: MealID.make(), user: user, createdAt: now)
    }

    /// Stores a consultation. Storing it again changes nothing.
    ///
    /// - Returns: the body of the 201 response.
    public static func store(
        _ consultation: NewConsultation, on connection: Connection
    ) throws(PostgresError) -> String {
        var parameters = Parameters()
        parameters.append(text: consultation.id)
        parameters.append(text: consultation.user)
        parameters.append(timestamptz: consultation.createdAt.microseconds)
        try connection.query(
            """
            insert into sluice.consultation (consultation_id, user_id, created_at, updated_at)
            values ($1::text::uuid, $2, $3, $3)
            on conflict do nothing
            """, parameters)
        return JSONWriter.object { json in
            json.key("data")
            json.object { json in
                json.key("consultation")
                json.object { json in
                    json.field("id", consultation.id)
                    json.field("user_id", consultation.user)
                    json.field("status", "active")
                    json.field("created_at", consultation.createdAt)
                    json.field("updated_at", consultation.createdAt)
                }
            }
        }
    }

    /// Checks whether a user may connect to a consultation.
    ///
    /// - Returns: `.done` with an empty text if so.
    public static func access(
        _ id: String, user: String, on connection: Connection
    ) throws(PostgresError) -> MealAnswer {
        guard let id = MealID.canonical(id) else { return .notFound }
        var parameters = Parameters()
        parameters.append(text: id)
        let rows = try connection.query(
            "select user_id from sluice.consultation where consultation_id = $1::text::uuid",
            parameters)
        guard rows.count == 1 else { return .notFound }
        return rows.string(0, 0) == user ? .done(json: "") : .foreign
    }
}
