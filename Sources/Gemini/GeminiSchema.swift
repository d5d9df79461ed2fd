/// What a model is bound to answer with, in the subset of OpenAPI's schemas that the service knows.
///
/// What a schema can't say, such as the length of a text, is for whoever reads the answer.
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

    /// One of these words.
    public static func word(of words: [String]) -> GeminiSchema {
        GeminiSchema("STRING", words: words)
    }

    /// A number, ends included.
    public static func number(
        _ range: ClosedRange<Double>, isNullable: Bool = false
    ) -> GeminiSchema {
        GeminiSchema("NUMBER", isNullable: isNullable, range: range)
    }

    /// So many elements of one kind.
    public static func list(of items: GeminiSchema, count: ClosedRange<Int>) -> GeminiSchema {
        GeminiSchema("ARRAY", items: items, count: count)
    }

    /// Every property is required.
    public static func object(_ properties: [String: GeminiSchema]) -> GeminiSchema {
        GeminiSchema("OBJECT", properties: properties)
    }
}
