import Readings

/// A log as it is stored and sent.
struct MealLog: Equatable {
    let id: String
    let user: String
    /// As written; nil when only items were entered.
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

    /// Nil as long as there are no items that could be summed.
    var totals: MealTotals? {
        status == .completed ? MealTotals(items.map(\.item)) : nil
    }
}

/// Why a log has no items, as it is stored and sent.
struct MealFailure: Equatable {
    let code: String
    let message: String
    let suggestions: [String]
}

extension MealFailure {
    init(_ failure: MealParsingFailure) {
        self.init(
            code: failure.code, message: failure.message, suggestions: failure.suggestions)
    }
}
