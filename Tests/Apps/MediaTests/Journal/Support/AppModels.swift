/// What the apps decode, as strict as they do: a missing key that is not optional fails, and so does
/// a number with a fraction where an integer is declared.
struct AppUpload: Decodable {
    struct File: Decodable {
        struct Facts: Decodable {
            let url: String
            let key: String
            let appUrl: String
            let name: String
            let size: Int
            let type: String
            let fileId: String
            let width: Int?
            let height: Int?
            let duration: Double?
            let groupId: String?
            let tags: [String]
        }
        let data: Facts
    }
    let success: Bool
    let files: [File]
    let errors: [String]?
    let groupId: String?
    let count: Int
}

struct AppPicture: Decodable {
    let success: Bool
    let message: String
    let imageUrl: String
}

struct AppMood: Decodable {
    struct Mood: Decodable {
        let id: String
        let mood: String
        let note: String?
        let voiceNote: String?
        let voiceNoteDuration: Double?
        let reason: String?
        let tags: [String]
        let interests: [String]
        let moodIntensity: Int?
        let createdAt: Int
    }
    let success: Bool
    let mood: Mood
    let imageUrls: [String]?
    let errors: [String]?
}

struct AppMemory: Decodable {
    struct Memory: Decodable {
        let id: String
        let title: String
        let description: String?
        let location: String?
        let tags: [String]
        let createdAt: Int
    }
    let success: Bool
    let memory: Memory
    let imageUrls: [String]?
}

struct AppEvent: Decodable {
    struct Event: Decodable {
        let id: String
        let title: String
        let description: String?
        let date: String
        let location: String?
        let tags: [String]
        let createdAt: Int
    }
    let success: Bool
    let event: Event
    let imageUrls: [String]?
}
