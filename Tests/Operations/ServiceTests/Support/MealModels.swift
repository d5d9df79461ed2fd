import Foundation

/// What an app's models declare of the frames on meal sockets: each property that is not optional
/// must be there, of exactly that type, or nothing of the frame can be read.
enum MealModels {
    struct Envelope<Payload: Decodable>: Decodable {
        let type: String
        let data: Payload
        let timestamp: Date
    }

    struct Kind: Decodable {
        let type: String
    }

    struct Completed: Decodable {
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
        let loggedAt: Date
        let processingStartedAt: Date?
        let processingCompletedAt: Date?
        let createdAt: Date
        let updatedAt: Date
        let items: [Item]

        enum CodingKeys: String, CodingKey {
            case id, status, items
            case userId = "user_id"
            case rawInput = "raw_input"
            case mealType = "meal_type"
            case totalCalories = "total_calories"
            case totalProteinG = "total_protein_g"
            case totalCarbsG = "total_carbs_g"
            case totalFatG = "total_fat_g"
            case totalFiberG = "total_fiber_g"
            case totalSugarG = "total_sugar_g"
            case loggedAt = "logged_at"
            case processingStartedAt = "processing_started_at"
            case processingCompletedAt = "processing_completed_at"
            case createdAt = "created_at"
            case updatedAt = "updated_at"
        }
    }

    struct Item: Decodable {
        let id: String
        let mealLogId: String
        let foodId: String?
        let userFoodId: String?
        let foodName: String
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

        enum CodingKeys: String, CodingKey {
            case id, quantity, unit, calories
            case mealLogId = "meal_log_id"
            case foodId = "food_id"
            case userFoodId = "user_food_id"
            case foodName = "food_name"
            case proteinG = "protein_g"
            case carbsG = "carbs_g"
            case fatG = "fat_g"
            case fiberG = "fiber_g"
            case sugarG = "sugar_g"
            case confidenceScore = "confidence_score"
            case parsingNotes = "parsing_notes"
            case orderIndex = "order_index"
            case createdAt = "created_at"
        }
    }

    struct Failed: Decodable {
        let id: String
        let userId: String
        let rawInput: String?
        let mealType: String
        let status: String
        let errorMessage: String?
        let loggedAt: Date
        let createdAt: Date
        let updatedAt: Date

        enum CodingKeys: String, CodingKey {
            case id, status
            case userId = "user_id"
            case rawInput = "raw_input"
            case mealType = "meal_type"
            case errorMessage = "error_message"
            case loggedAt = "logged_at"
            case createdAt = "created_at"
            case updatedAt = "updated_at"
        }
    }

    struct Connected: Decodable {
        let timestamp: Date
    }

    struct ConsultationConnected: Decodable {
        let consultationId: String
        let timestamp: Date

        enum CodingKeys: String, CodingKey {
            case timestamp
            case consultationId = "consultation_id"
        }
    }

    struct Failure: Decodable {
        let error: String
        let code: String
    }

    struct Nothing: Decodable {}

    /// Decodes a frame as its type says.
    ///
    /// - Returns: the type.
    @discardableResult
    static func decode(_ text: String, consultation: Bool = false) throws -> String {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        let data = Data(text.utf8)
        let type = try decoder.decode(Kind.self, from: data).type
        switch type {
        case "meal_log.completed":
            _ = try decoder.decode(Envelope<Completed>.self, from: data)
        case "meal_log.failed": _ = try decoder.decode(Envelope<Failed>.self, from: data)
        case "connected" where consultation:
            _ = try decoder.decode(Envelope<ConsultationConnected>.self, from: data)
        case "connected": _ = try decoder.decode(Envelope<Connected>.self, from: data)
        case "pong": _ = try decoder.decode(Envelope<Nothing?>.self, from: data)
        case "error": _ = try decoder.decode(Envelope<Failure>.self, from: data)
        default: throw Unknown(type: type)
        }
        return type
    }

    struct Unknown: Error {
        let type: String
    }
}
