import Foundation

/// The shapes in which the iOS client decodes what it is sent: a field that is not optional here must
/// be there, an `Int` must be written as one, a `Date` must be ISO 8601 without a fraction.
struct ClientMeal: Codable, Equatable {
    struct Item: Codable, Equatable {
        let id: String
        let mealLogId: String
        let foodId: String?
        let userFoodId: String?
        let foodName: String
        let foodType: String
        let quantity: Double
        let unit: String
        let calories: Int
        let proteinG: Double
        let carbsG: Double
        let fatG: Double
        let fiberG: Double?
        let sugarG: Double?
        let confidenceScore: Double?
        let parsingNotes: String?
        let orderIndex: Int
        let createdAt: Date
    }

    let id: String
    let userId: String
    let rawInput: String
    let mealType: String
    let status: String
    let totalCalories: Int?
    let totalProteinG: Double?
    let totalCarbsG: Double?
    let totalFatG: Double?
    let totalFiberG: Double?
    let totalSugarG: Double?
    let confidenceScore: Double?
    let loggedAt: Date
    let processingStartedAt: Date?
    let processingCompletedAt: Date?
    let createdAt: Date
    let updatedAt: Date
    let items: [Item]
    let estimatedCompletionSeconds: Int?
    let errorMessage: String?

    private struct Body: Codable {
        let data: ClientMeal
    }

    static let decoder = {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }()

    static func decode(body: String) throws -> Self {
        try decoder.decode(Body.self, from: Data(body.utf8)).data
    }
}

/// A frame of a result.
struct ClientFrame: Codable {
    let type: String
    let data: ClientMeal
    let timestamp: Date

    static func decode(_ text: String) throws -> Self {
        try ClientMeal.decoder.decode(Self.self, from: Data(text.utf8))
    }
}

/// What is said of a log that failed.
struct ClientFailure: Codable {
    struct Failure: Codable {
        let id: String
        let mealLogId: String
        let userId: String
        let rawInput: String?
        let mealType: String
        let status: String
        let errorMessage: String?
        let error: String
        let errorCode: String
        let suggestions: [String]
        let loggedAt: Date
        let createdAt: Date
        let updatedAt: Date
    }

    let type: String
    let data: Failure
    let timestamp: Date

    static func decode(_ text: String) throws -> Self {
        try ClientMeal.decoder.decode(Self.self, from: Data(text.utf8))
    }
}

/// A list of logs.
struct ClientList: Codable {
    private struct Body: Codable {
        let data: ClientList
    }

    let mealLogs: [ClientMeal]
    let totalCount: Int
    let limit: Int
    let offset: Int
    let hasMore: Bool

    static func decode(_ body: String) throws -> Self {
        try ClientMeal.decoder.decode(Body.self, from: Data(body.utf8)).data
    }
}
