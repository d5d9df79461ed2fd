import Readings

/// The filter of `GET /api/v1/meal-logs`, and the part of the list to return.
///
/// - `status`, `meal_type`: only logs with this value.
/// - `start_date` (or `from`), `end_date` (or `to`): limits of `logged_at`, both inclusive; a UTC
///   day `YYYY-MM-DD`, or a time with its offset from UTC.
/// - `limit` 1–100, 50 by default; `offset` from 0, or `page` from 1.
///
/// If both names of a parameter are given, the first wins; `offset` wins over `page`. An empty
/// value counts as absent.
public struct MealFilter: Sendable, Equatable {
    let status: MealStatus?
    let mealType: MealType?
    let start: Timestamp?
    /// Exclusive: `logged_at` must be less.
    let end: Timestamp?
    let part: ListPart

    /// - Parameter parameter: returns the decoded value of a query parameter, or nil if it is
    ///   absent.
    public init(_ parameter: (String) -> String?) throws(MealFault) {
        func value(_ names: String...) -> (name: String, text: String)? {
            for name in names {
                if let text = parameter(name), !text.isEmpty { return (name, text) }
            }
            return nil
        }
        let status = value("status")
        self.status =
            try status == nil ? nil : MealStatus(validating: status?.text, field: "status")
        let mealType = value("meal_type")
        self.mealType =
            try mealType == nil
            ? nil : MealType(validating: mealType?.text, field: "meal_type")
        let first = value("start_date", "from")
        let last = value("end_date", "to")
        start = try first.map { given throws(MealFault) in
            try RequestTime.span(given.text, field: given.name).lowerBound
        }
        end = try last.map { given throws(MealFault) in
            try RequestTime.span(given.text, field: given.name).upperBound
        }
        if let start, let end, let first, start >= end {
            throw .endBeforeStart(field: first.name)
        }
        part = try ListPart(parameter)
    }
}
