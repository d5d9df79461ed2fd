import Readings

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
