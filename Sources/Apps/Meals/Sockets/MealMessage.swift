import Readings

/// A message on a consultation's socket: `{"type":"message","content":…}`, with the optional
/// `meal_type` and `logged_at` of a log. The members may also be in `data`, as in the frames that
/// the server sends.
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

    /// The first meal type that the text names, or a snack if it names none.
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
