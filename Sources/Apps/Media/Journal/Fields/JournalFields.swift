/// The checked fields of a form. Only the fields of its kind are ever set.
struct JournalFields: Sendable, Equatable, Encodable {
    /// Required in a mood.
    var mood: String?
    /// Required in a keepsake and a calendar entry.
    var title: String?
    /// Required in a calendar entry.
    var date: CalendarDate?
    var note: String?
    var reason: String?
    var description: String?
    var location: String?
    var category: String?
    var groupID: String?
    var tags: [String] = []
    var interests: [String] = []
    /// 1 to 10.
    var moodIntensity: Int?
    /// Seconds, finite, not negative.
    var voiceNoteDuration: Double?
    /// Milliseconds since 1970 UTC; nil means now.
    var createdAt: Int64?
    /// Whether coordinates stay in the files.
    var keepsLocation = false
}
