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

/// The part of a list that a request asks for: `limit`, and `offset` or `page`.
struct ListPart: Equatable {
    let limit: Int
    let offset: Int

    static let limitMax = 100
    static let limitDefault = 50
    /// Clients that need more should narrow the dates.
    static let offsetMax = 1_000_000

    init(_ parameter: (String) -> String?) throws(MealFault) {
        func number(_ name: String, _ bounds: ClosedRange<Int>) throws(MealFault) -> Int? {
            guard let text = parameter(name), !text.isEmpty else { return nil }
            guard text.utf8.allSatisfy({ $0 &- 0x30 <= 9 || $0 == UInt8(ascii: "-") }) else {
                throw .notInteger(field: name)
            }
            guard let number = Int(text), bounds.contains(number) else {
                throw .outOfRange(field: name, min: bounds.lowerBound, max: bounds.upperBound)
            }
            return number
        }
        limit = try number("limit", 1...Self.limitMax) ?? Self.limitDefault
        let page = try number("page", 1...Self.offsetMax / limit) ?? 1
        offset = try number("offset", 0...Self.offsetMax) ?? (page - 1) * limit
    }

    /// Writes the members that every list has.
    func write(total: Int, shown: Int, to json: inout JSONWriter) {
        json.field("total_count", total)
        json.field("limit", limit)
        json.field("offset", offset)
        json.field("has_more", offset + shown < total)
    }
}
