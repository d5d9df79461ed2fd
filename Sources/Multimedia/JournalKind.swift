/// What a request creates. Two of them have other names in the apps, where "memory" also means a
/// capture and "event" also a reading.
public enum JournalKind: String, Sendable, CaseIterable {
    /// Files with a category.
    case upload = "upload"
    /// How somebody feels, with images and a voice note.
    case mood = "mood"
    /// The apps' "memory".
    case keepsake = "keepsake"
    /// The apps' "event".
    case calendarEntry = "calendar_entry"
    /// The one picture of a user.
    case profilePicture = "profile_picture"

    /// Whether a request without a file creates nothing.
    var needsFile: Bool {
        switch self {
        case .upload, .profilePicture: true
        case .mood, .keepsake, .calendarEntry: false
        }
    }

    /// The fields that its form has.
    var fields: Set<JournalField> {
        switch self {
        case .upload: [.keepLocation, .category, .title, .description, .tags, .groupID]
        case .mood:
            [
                .keepLocation, .mood, .note, .reason, .tags, .interests, .moodIntensity, .createdAt,
                .voiceNoteDuration,
            ]
        case .keepsake: [.keepLocation, .title, .description, .tags, .location, .createdAt]
        case .calendarEntry: [.keepLocation, .title, .date, .description, .location, .tags]
        case .profilePicture: [.keepLocation]
        }
    }
}
