import Readings

/// A meal log, as stored and sent.
struct MealLog: Equatable {
    let id: String
    let user: String
    /// The text as written; nil if only items were entered.
    var rawInput: String?
    var mealType: MealType
    var status: MealStatus
    var confidence: Double?
    var loggedAt: Timestamp
    var startedAt: Timestamp?
    var completedAt: Timestamp?
    let createdAt: Timestamp
    var updatedAt: Timestamp
    var items: [LoggedItem] = []
    var failure: MealFailure?
    var consultation: String?

    /// The sums over the items; nil unless the log is `completed`.
    var totals: MealTotals? {
        status == .completed ? MealTotals(items.map(\.item)) : nil
    }
}

extension MealLog {
    /// Writes the members of a log that every response and frame has.
    ///
    /// - Source: seed 2, `MealLogCompletedData` and `MealLogFailedData`, and the further members
    ///   that the shipped client reads.
    func writeMembers(to json: inout JSONWriter, estimatedSeconds: Int? = nil) {
        let totals = totals
        json.field("id", id)
        json.field("user_id", user)
        // The lists of clients reject a log without this member.
        json.field("raw_input", rawInput ?? items.rawInput)
        json.field("meal_type", mealType.rawValue)
        json.field("status", status.rawValue)
        json.field("total_calories", totals?.calories)
        json.field("total_protein_g", totals?.protein)
        json.field("total_carbs_g", totals?.carbohydrate)
        json.field("total_fat_g", totals?.fat)
        json.field("total_fiber_g", totals?.fiber)
        json.field("total_sugar_g", totals?.sugar)
        json.field("confidence_score", confidence)
        json.field("logged_at", loggedAt)
        json.field("processing_started_at", startedAt)
        json.field("processing_completed_at", completedAt)
        json.field("created_at", createdAt)
        json.field("updated_at", updatedAt)
        if let estimatedSeconds { json.field("estimated_completion_seconds", estimatedSeconds) }
        json.field("error_message", failure?.message)
        if let failure {
            json.field("error_code", failure.code)
            json.field("suggestions", strings: failure.suggestions)
        }
        json.key("items")
        items.write(ofLog: id, to: &json)
    }

    /// The body of a response about this log only.
    func body(estimatedSeconds: Int? = nil) -> String {
        JSONWriter.object { json in
            json.key("data")
            json.object { writeMembers(to: &$0, estimatedSeconds: estimatedSeconds) }
        }
    }

    /// The frame with the log's result. The log must be `completed` or `failed`.
    func frame(at now: Timestamp) -> String {
        precondition(status.isFinal, "BUG: news of a log in \(status)")
        return JSONWriter.object { json in
            json.field("type", status == .completed ? "meal_log.completed" : "meal_log.failed")
            json.key("data")
            json.object { json in
                writeMembers(to: &json)
                if let failure {
                    json.field("meal_log_id", id)
                    json.field("error", failure.message)
                }
            }
            json.field("timestamp", now)
        }
    }
}
