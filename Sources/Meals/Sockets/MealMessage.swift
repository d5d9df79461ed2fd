import Readings

/// What a user writes on a consultation's socket: `{"type":"message","content":…}`, with the
/// optional `meal_type` and `logged_at` of a log; or the same members in `data`, as all frames that
/// go out have theirs.
public struct MealMessage: Sendable, Equatable {
    let content: MealText
    let mealType: MealType
    let loggedAt: Timestamp?

    init(_ frame: JSONObject, now: Timestamp) throws(MealFault) {
        let object = try frame.value("content") == nil ? frame.object("data") ?? frame : frame
        let content = try MealText(try object.text("content"), field: "content")
        self.content = content
        let type = try object.text("meal_type")
        mealType =
            try type == nil
            ? Self.mealType(saidIn: content.text)
            : MealFault.oneOf(MealType.self, type, field: "meal_type")
        loggedAt = try RequestTime.eaten(try object.text("logged_at"), now: now)
    }

    /// The first meal of the day that the text names, else a snack: what people eat between.
    static func mealType(saidIn text: String) -> MealType {
        let words = text.lowercased().split { !$0.isLetter }
        for word in words {
            switch word {
            case "breakfast", "brunch": return .breakfast
            case "lunch": return .lunch
            case "dinner", "supper": return .dinner
            case "snack": return .snack
            default: continue
            }
        }
        return .snack
    }
}
