/// The form of an answer, in the subset of OpenAPI's schemas that the service supports.
///
/// A schema can't express every rule, such as the length of a text. The caller must check those in
/// the answer.
public final class GeminiSchema: Encodable, Sendable {
    private let type: String
    private let isNullable: Bool?
    private let format: String?
    private let words: [String]?
    private let properties: [String: GeminiSchema]?
    private let required: [String]?
    private let items: GeminiSchema?
    private let minItems: Int?
    private let maxItems: Int?
    private let minimum: Double?
    private let maximum: Double?

    private enum CodingKeys: String, CodingKey {
        case type
        case isNullable = "nullable"
        case format
        case words = "enum"
        case properties, required, items, minItems, maxItems, minimum, maximum
    }

    private init(
        _ type: String, isNullable: Bool = false, words: [String]? = nil,
        properties: [String: GeminiSchema]? = nil, items: GeminiSchema? = nil,
        count: ClosedRange<Int>? = nil, range: ClosedRange<Double>? = nil
    ) {
        self.type = type
        self.isNullable = isNullable ? true : nil
        format = words == nil ? nil : "enum"
        self.words = words
        self.properties = properties
        required = properties.map { $0.keys.sorted() }
        self.items = items
        minItems = count?.lowerBound
        maxItems = count?.upperBound
        minimum = range?.lowerBound
        maximum = range?.upperBound
    }

    /// Any text.
    public static let text = GeminiSchema("STRING")
    /// Any text, or null.
    public static let textOrNull = GeminiSchema("STRING", isNullable: true)

    /// A text that is one of these words.
    public static func word(of words: [String]) -> GeminiSchema {
        GeminiSchema("STRING", words: words)
    }

    /// A number in a closed range, or null if `isNullable`.
    public static func number(
        _ range: ClosedRange<Double>, isNullable: Bool = false
    ) -> GeminiSchema {
        GeminiSchema("NUMBER", isNullable: isNullable, range: range)
    }

    /// An array whose elements follow one schema; `count` bounds their number.
    public static func list(of items: GeminiSchema, count: ClosedRange<Int>) -> GeminiSchema {
        GeminiSchema("ARRAY", items: items, count: count)
    }

    /// An object in which every property is required.
    public static func object(_ properties: [String: GeminiSchema]) -> GeminiSchema {
        GeminiSchema("OBJECT", properties: properties)
    }
}
