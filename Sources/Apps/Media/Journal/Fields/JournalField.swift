/// A plain field of a form, by the name that clients give it.
enum JournalField: String, Sendable, CaseIterable {
    // The names are those that the apps send.
    case mood, note, reason, tags, interests, moodIntensity, createdAt, voiceNoteDuration
    case title, description, location, date, category
    case groupID = "groupId"
    /// Whether coordinates stay in the files.
    case keepLocation

    /// The most UTF-8 bytes of its value.
    var bytesMax: Int {
        switch self {
        case .mood: 256
        case .title, .location: 1024
        case .note, .reason, .description: 16 << 10
        case .tags, .interests: 8 << 10
        case .category, .groupID: 128
        case .date, .moodIntensity, .createdAt, .voiceNoteDuration, .keepLocation: 64
        }
    }

    /// Whether the values of several parts with its name add up.
    var isList: Bool { self == .tags || self == .interests }

    /// Whether its value is a number.
    var isNumber: Bool {
        self == .moodIntensity || self == .createdAt || self == .voiceNoteDuration
    }
}
