/// Answers of the journal as an app declares them: what is not optional here must be there, and
/// whole numbers must be written as such.
enum JournalReplies {
    struct Upload: Decodable {
        struct Item: Decodable {
            let data: File
        }

        struct File: Decodable {
            let url: String
            let key: String
            let appUrl: String
            let name: String
            let size: Int
            let type: String
            let fileId: String
        }

        let success: Bool
        let files: [Item]
        let errors: [String]?
        let groupId: String?
        let count: Int
    }

    struct Portrait: Decodable {
        let success: Bool
        let message: String
        let imageUrl: String
    }

    struct MoodReply: Decodable {
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
    }

    struct MemoryReply: Decodable {
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

    struct EventReply: Decodable {
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

    struct Failure: Decodable {
        let error: String
        let details: String
        let code: Int
    }
}
