public import Readings

/// The body of `PATCH /api/v1/meal-logs/{id}`: `{meal_type?, logged_at?}`, at least one of them.
public struct MealChange: Sendable, Equatable {
    /// Nil keeps the stored meal type.
    let mealType: MealType?
    /// Nil keeps the stored time.
    let loggedAt: Timestamp?

    /// Decodes and checks the body.
    ///
    /// - Parameters:
    ///   - body: on loan; at most ``Meals/bodyBytesMax``.
    ///   - now: the server's time; a meal may be at most 24 hours ahead of it.
    public init(_ body: UnsafeRawBufferPointer, now: Timestamp) throws(MealFault) {
        let body = try JSONObject.body(body)
        let type = try body.text("meal_type")
        mealType =
            try type == nil
            ? nil : MealFault.oneOf(MealType.self, type, field: "meal_type")
        loggedAt = try RequestTime.eaten(try body.text("logged_at"), now: now)
        guard mealType != nil || loggedAt != nil else {
            throw .missing(field: "meal_type or logged_at")
        }
    }
}
