import Foundation
import TestSupport

/// An app's models of the frames on meal sockets. Each property that is not optional must be
/// present and of exactly that type, or the frame can't be decoded.
enum MealModels {
    struct Envelope<Payload: Decodable>: Decodable {
        let type: String
        let data: Payload
        let timestamp: Date
    }

    struct Kind: Decodable {
        let type: String
    }

    struct Connected: Decodable {
        let timestamp: Date
    }

    struct ConsultationConnected: Decodable {
        let consultationId: String
        let timestamp: Date
    }

    struct Failure: Decodable {
        let error: String
        let code: String
    }

    struct Nothing: Decodable {}

    /// Decodes a frame according to its type.
    ///
    /// - Returns: the type.
    @discardableResult
    static func decode(_ text: String, consultation: Bool = false) throws -> String {
        let decoder = ClientMeal.decoder
        let data = Data(text.utf8)
        let type = try decoder.decode(Kind.self, from: data).type
        switch type {
        case "meal_log.completed":
            _ = try decoder.decode(Envelope<ClientMeal>.self, from: data)
        case "meal_log.failed":
            _ = try decoder.decode(Envelope<ClientFailure.Failure>.self, from: data)
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
