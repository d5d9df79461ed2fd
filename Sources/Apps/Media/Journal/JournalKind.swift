/// What a request creates. Two kinds have other names here than in the apps, where "memory" also
/// means a capture and "event" also a reading.
public enum JournalKind: String, Sendable, CaseIterable {
    /// Files with a category.
    case upload = "upload"
    /// A person's mood, with images and a voice note.
    case mood = "mood"
    /// The apps' "memory".
    case keepsake = "keepsake"
    /// The apps' "event".
    case calendarEntry = "calendar_entry"
    /// The picture of a user, who has at most one.
    case profilePicture = "profile_picture"

    /// Whether a request without a file is rejected.
    var needsFile: Bool {
        switch self {
        case .upload, .profilePicture: true
        case .mood, .keepsake, .calendarEntry: false
        }
    }

    /// Whether its records can be changed.
    public var isChangeable: Bool { !changeableFields.isEmpty }

    /// The fields of its records that can be changed; what belongs to files stays as it is.
    var changeableFields: Set<JournalField> {
        switch self {
        case .mood, .keepsake, .calendarEntry:
            fields.subtracting([.keepLocation, .voiceNoteDuration])
        case .upload, .profilePicture: []
        }
    }

    /// The fields of its form.
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
