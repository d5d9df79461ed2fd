import Foundation
import Gemini
import Media
import Postgres
import Readings

/// The payload of a job. Each kind has some of the fields.
struct JobPayload: Codable {
    var user: String
    var capture: String?
    var date: String?

    /// - Throws: an error that no retry can fix. The job ends dead, with the error for people to
    ///   see.
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
