import HTTP
import HTTPTypes
import Meals

/// What a client of meal logs is told.
extension RequestFailure {
    /// The failure for an error of meal logs; nil for others.
    static func ofMeals(_ error: any Error) -> RequestFailure? {
        guard let fault = error as? MealFault else { return nil }
        return RequestFailure(.badRequest, fault.message, code: fault.code, field: fault.field)
    }

    static let foodNameTaken = RequestFailure(
        .conflict, "you have a food of that name", code: "NAME_TAKEN", field: "name")
    static let foodsTooMany = RequestFailure(
        .conflict, "you have as many foods of your own as anybody may have",
        code: "TOO_MANY_FOODS")
}
