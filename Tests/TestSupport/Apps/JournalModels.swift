/// The types that the apps decode, equally strict: a missing key that is not optional fails, and
/// so does a number with a fraction where an integer is declared.
package struct AppUpload: Decodable {
    package struct File: Decodable {
        package struct Facts: Decodable {
            package let url: String
            package let key: String
            package let appUrl: String
            package let name: String
            package let size: Int
            package let type: String
            package let fileId: String
            package let width: Int?
            package let height: Int?
            package let duration: Double?
            package let groupId: String?
            package let tags: [String]
        }
        package let data: Facts
    }
    package let success: Bool
    package let files: [File]
    package let errors: [String]?
    package let groupId: String?
    package let count: Int
}

package struct AppPicture: Decodable {
    package let success: Bool
    package let message: String
    package let imageUrl: String
}

package struct AppMood: Decodable {
    package struct Mood: Decodable {
        package let id: String
        package let mood: String
        package let note: String?
        package let voiceNote: String?
        package let voiceNoteDuration: Double?
        package let reason: String?
        package let tags: [String]
        package let interests: [String]
        package let moodIntensity: Int?
        package let createdAt: Int
    }
    package let success: Bool
    package let mood: Mood
    package let imageUrls: [String]?
    package let errors: [String]?
}

package struct AppMemory: Decodable {
    package struct Memory: Decodable {
        package let id: String
        package let title: String
        package let description: String?
        package let location: String?
        package let tags: [String]
        package let createdAt: Int
    }
    package let success: Bool
    package let memory: Memory
    package let imageUrls: [String]?
}

package struct AppEvent: Decodable {
    package struct Event: Decodable {
        package let id: String
        package let title: String
        package let description: String?
        package let date: String
        package let location: String?
        package let tags: [String]
        package let createdAt: Int
    }
    package let success: Bool
    package let event: Event
    package let imageUrls: [String]?
}

package struct AppFailure: Decodable {
    package let error: String
    package let details: String
    package let code: Int
}
