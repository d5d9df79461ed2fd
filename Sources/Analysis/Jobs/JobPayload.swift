import Foundation

/// What the payload of a job says; each kind has some of the fields.
struct JobPayload: Codable {
    var user: String
    var capture: String?
    var date: String?

    /// - Throws: what no retry mends: the job dies with the error for people to see.
    init(_ text: String) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(text.utf8))
    }

    init(user: String, capture: String? = nil, date: String? = nil) {
        self.user = user
        self.capture = capture
        self.date = date
    }

    var text: String { StoredJSON.text(self) }
}

/// A job's payload lacks what its kind needs.
struct JobPayloadIncomplete: Error {}
