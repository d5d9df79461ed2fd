/// What the model is bound to answer with, in the subset of OpenAPI's schemas that the service
/// knows. Says the same as ``CaptureAnalysis/Limits`` as far as that subset can.
final class GeminiSchema: Encodable, Sendable {
    private let type: String
    private let isNullable: Bool?
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
        case properties, required, items, minItems, maxItems, minimum, maximum
    }

    private init(
        _ type: String, isNullable: Bool? = nil, properties: [String: GeminiSchema]? = nil,
        items: GeminiSchema? = nil, count: ClosedRange<Int>? = nil,
        range: ClosedRange<Double>? = nil
    ) {
        self.type = type
        self.isNullable = isNullable
        self.properties = properties
        required = properties.map { $0.keys.sorted() }
        self.items = items
        minItems = count?.lowerBound
        maxItems = count?.upperBound
        minimum = range?.lowerBound
        maximum = range?.upperBound
    }

    private static let text = GeminiSchema("STRING")
    private static let textOrNull = GeminiSchema("STRING", isNullable: true)
    private static let face = GeminiSchema(
        "OBJECT",
        properties: [
            "description": text, "possibleName": textOrNull,
            "confidence": GeminiSchema("NUMBER", range: 0...1),
        ])

    /// ``CaptureAnalysis``; every property is required.
    static let analysis = GeminiSchema(
        "OBJECT",
        properties: [
            "imageSummary": textOrNull,
            "themes": GeminiSchema("ARRAY", items: text, count: CaptureAnalysis.Limits.themes),
            "mood": text,
            "location": textOrNull,
            "detectedFaces": GeminiSchema(
                "ARRAY", items: face, count: CaptureAnalysis.Limits.faces),
            "mentionedNames": GeminiSchema(
                "ARRAY", items: text, count: CaptureAnalysis.Limits.names),
            "keyMoment": text,
        ])
}
