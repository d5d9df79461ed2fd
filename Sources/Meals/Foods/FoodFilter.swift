/// Which foods are listed: `search` (or `q`), `limit` 1–100, else 50, `offset` or `page`.
public struct FoodFilter: Sendable, Equatable {
    /// Lower-cased, not blank.
    let search: String?
    let part: ListPart

    static let searchLengthMax = 100

    /// - Parameter parameter: the decoded value of a parameter of the query, if it is there.
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
