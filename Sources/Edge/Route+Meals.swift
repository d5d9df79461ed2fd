/// The paths of meal logs.
extension Route {
    /// - Parameter path: with the slash in front, without one at the end.
    static func ofMeals(_ path: Substring) -> Route? {
        if path == "/ws/meal-logs" { return .mealSocket }
        guard path.hasPrefix("/api/v1/") else { return nil }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst(3)
        guard let system = parts.first, !parts.contains("") else { return .otherMeals }
        let rest = Array(parts.dropFirst())
        switch (system, rest.count) {
        case ("meal-logs", 0): return .mealLogs
        case ("meal-logs", 1) where rest[0] == "natural": return .mealNatural
        case ("meal-logs", 1) where rest[0] == "batch": return .mealBatch
        case ("meal-logs", 1): return .mealLog
        case ("consultations", 0): return .consultations
        case ("consultations", 2) where rest[1] == "ws": return .consultationSocket
        case ("foods", 0): return .foods
        case ("user-foods", 0): return .userFoods
        case ("user-foods", 1): return .userFood
        default: return .otherMeals
        }
    }
}
