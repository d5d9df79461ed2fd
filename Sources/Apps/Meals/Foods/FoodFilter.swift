import Postgres
import Readings

/// The filter of a list of foods: `search` (or `q`), `limit` 1–100 (default 50), `offset` or
/// `page`.
public struct FoodFilter: Sendable, Equatable {
    /// The search text in lower case; nil if it is blank.
    let search: String?
    let part: ListPart

    static let searchLengthMax = 100

    /// - Parameter parameter: returns the decoded value of a query parameter, or nil if it is
    ///   absent.
    public init(_ parameter: (String) -> String?) throws(MealFault) {
        let name = parameter("search") == nil ? "q" : "search"
        let text = parameter(name) ?? ""
        guard text.unicodeScalars.count <= Self.searchLengthMax else {
            throw .tooLong(field: name, max: Self.searchLengthMax)
        }
        guard !text.unicodeScalars.contains("\0") else { throw .notText(field: name) }
        let isBlank = text.unicodeScalars.allSatisfy { $0.properties.isWhitespace }
        search = isBlank ? nil : text.lowercased()
        part = try ListPart(parameter)
    }
}
