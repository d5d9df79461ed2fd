package import Foundation

/// The types with which the iOS client decodes answers. A field that is not optional must be
/// present, an `Int` must be written as an integer, and a `Date` must be ISO 8601 without a
/// fraction.
package struct ClientMeal: Codable, Equatable {
    package struct Item: Codable, Equatable {
        package let id: String
        package let mealLogId: String
        package let foodId: String?
        package let userFoodId: String?
        package let foodName: String
        package let foodType: String
        package let quantity: Double
        package let unit: String
        package let calories: Int
        package let proteinG: Double
        package let carbsG: Double
        package let fatG: Double
        package let fiberG: Double?
        package let sugarG: Double?
        package let confidenceScore: Double?
        package let parsingNotes: String?
        package let orderIndex: Int
        package let createdAt: Date
    }

    package let id: String
    package let userId: String
    package let rawInput: String
    package let mealType: String
    package let status: String
    package let totalCalories: Int?
    package let totalProteinG: Double?
    package let totalCarbsG: Double?
    package let totalFatG: Double?
    package let totalFiberG: Double?
    package let totalSugarG: Double?
    package let confidenceScore: Double?
    package let loggedAt: Date
    package let processingStartedAt: Date?
    package let processingCompletedAt: Date?
    package let createdAt: Date
    package let updatedAt: Date
    package let items: [Item]
    package let estimatedCompletionSeconds: Int?
    package let errorMessage: String?

    private struct Body: Codable {
        let data: ClientMeal
    }

    package static let decoder = {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }()

    package static func decode(body: String) throws -> Self {
        try decoder.decode(Body.self, from: Data(body.utf8)).data
    }
}

/// A frame of a result.
package struct ClientFrame: Codable {
    package let type: String
    package let data: ClientMeal
    package let timestamp: Date

    package static func decode(_ text: String) throws -> Self {
        try ClientMeal.decoder.decode(Self.self, from: Data(text.utf8))
    }
}

/// The message about a failed log.
package struct ClientFailure: Codable {
    package struct Failure: Codable {
        package let id: String
        package let mealLogId: String
        package let userId: String
        package let rawInput: String?
        package let mealType: String
        package let status: String
        package let errorMessage: String?
        package let error: String
        package let errorCode: String
        package let suggestions: [String]
        package let loggedAt: Date
        package let createdAt: Date
        package let updatedAt: Date
    }

    package let type: String
    package let data: Failure
    package let timestamp: Date

    package static func decode(_ text: String) throws -> Self {
        try ClientMeal.decoder.decode(Self.self, from: Data(text.utf8))
    }
}

/// A list of logs.
package struct ClientList: Codable {
    private struct Body: Codable {
        let data: ClientList
    }

    package let mealLogs: [ClientMeal]
    package let totalCount: Int
    package let limit: Int
    package let offset: Int
    package let hasMore: Bool

    package static func decode(_ body: String) throws -> Self {
        try ClientMeal.decoder.decode(Body.self, from: Data(body.utf8)).data
    }
}
