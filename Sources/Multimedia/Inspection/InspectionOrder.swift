import Foundation
import MediaStorage

/// What a process is to do with the file that is its standard input: its one argument, as JSON.
struct InspectionOrder: Codable, Sendable, Equatable {
    enum Wish: Codable, Sendable, Equatable {
        case image
        case film
        case thumbnail(width: Int, pixelsMax: Int)
    }

    var wish: Wish
    /// What the file is by its first bytes.
    var type: MediaType
    var limits: InspectionLimits

    var text: String {
        do {
            return String(decoding: try JSONEncoder().encode(self), as: UTF8.self)
        } catch {
            preconditionFailure("BUG: an order that can't be encoded: \(error)")
        }
    }
}

extension MediaType: Codable {}
