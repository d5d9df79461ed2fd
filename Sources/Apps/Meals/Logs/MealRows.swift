import Postgres
import Readings

/// Reads logs with their items from rows: one row an item, each with the log's columns.
enum MealRows {
    /// The columns to select from a `meal_log l` left joined with a `meal_log_item i`. The rows
    /// must be ordered by log and `i.order_index`.
    static let columns = """
        l.meal_log_id::text, l.user_id, l.raw_input, l.meal_type, l.status, l.confidence_score,
        l.logged_at, l.processing_started_at, l.processing_completed_at, l.created_at,
        l.updated_at, l.error_code, l.error_message, array_to_string(l.suggestions, E'\\n'),
        l.consultation_id::text,
        i.item_id::text, i.food_id::text, i.user_food_id::text, i.food_name, i.food_type,
        i.quantity, i.unit, i.grams, i.calories, i.protein_g, i.carbs_g, i.fat_g, i.fiber_g,
        i.sugar_g, i.confidence_score, i.parsing_notes, i.order_index, i.created_at
        """

    static func logs(_ rows: Rows) -> [MealLog] {
        var logs: [MealLog] = []
        for row in 0..<rows.count {
            if logs.last?.id != rows.string(row, 0) { logs.append(log(rows, row)) }
            if !rows.isNull(row, 15) { logs[logs.count - 1].items.append(item(rows, row)) }
        }
        return logs
    }

    private static func log(_ rows: Rows, _ row: Int) -> MealLog {
        var log = MealLog(
            id: rows.string(row, 0), user: rows.string(row, 1), rawInput: text(rows, row, 2),
            mealType: word(rows, row, 3), status: word(rows, row, 4),
            confidence: number(rows, row, 5), loggedAt: moment(rows, row, 6),
            createdAt: moment(rows, row, 9), updatedAt: moment(rows, row, 10),
            consultation: text(rows, row, 14))
        log.startedAt = rows.isNull(row, 7) ? nil : moment(rows, row, 7)
        log.completedAt = rows.isNull(row, 8) ? nil : moment(rows, row, 8)
        if let code = text(rows, row, 11) {
            log.failure = MealFailure(
                code: code, message: text(rows, row, 12) ?? "",
                suggestions: rows.string(row, 13).split(separator: "\n").map(String.init))
        }
        return log
    }

    private static func item(_ rows: Rows, _ row: Int) -> LoggedItem {
        let item = MealItem(
            foodID: text(rows, row, 16), userFoodID: text(rows, row, 17),
            name: rows.string(row, 18), type: word(rows, row, 19),
            quantity: rows.float64(row, 20), unit: rows.string(row, 21),
            grams: number(rows, row, 22),
            nutrients: Nutrients(
                energy: Double(rows.int32(row, 23)), protein: rows.float64(row, 24),
                carbohydrate: rows.float64(row, 25), fat: rows.float64(row, 26),
                fiber: number(rows, row, 27), sugar: number(rows, row, 28)),
            confidence: number(rows, row, 29), notes: text(rows, row, 30),
            orderIndex: Int(rows.int32(row, 31)))
        return LoggedItem(
            id: rows.string(row, 15), item: item, createdAt: moment(rows, row, 32))
    }

    // MARK: Cells

    static func text(_ rows: Rows, _ row: Int, _ column: Int) -> String? {
        rows.isNull(row, column) ? nil : rows.string(row, column)
    }

    static func number(_ rows: Rows, _ row: Int, _ column: Int) -> Double? {
        rows.isNull(row, column) ? nil : rows.float64(row, column)
    }

    static func moment(_ rows: Rows, _ row: Int, _ column: Int) -> Timestamp {
        Timestamp(microseconds: rows.timestamp(row, column))
    }

    /// The value of a column whose values a check constraint limits.
    static func word<Value: RawRepresentable<String>>(
        _ rows: Rows, _ row: Int, _ column: Int
    ) -> Value {
        guard let value = Value(rawValue: rows.string(row, column)) else {
            preconditionFailure("BUG: \(Value.self) \(rows.string(row, column))")
        }
        return value
    }
}
