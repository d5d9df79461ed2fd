/// Why a log failed, as stored and sent.
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
