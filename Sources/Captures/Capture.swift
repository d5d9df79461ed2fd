public import Readings

/// What a phone noticed: a photo, a recording, what was said.
public struct Capture: Sendable, Equatable {
    /// The client's, or a UUID.
    public let id: String
    /// When it was, as the client says; the years 1 to 9999 UTC.
    public let capturedAt: Timestamp
    /// Where the photo is.
    public let photoURL: String?
    /// Where the recording is.
    public let audioURL: String?
    /// What was said in it.
    public let transcription: String?

    /// Fields that have been checked.
    init(
        id: String, capturedAt: Timestamp, photoURL: String?, audioURL: String?,
        transcription: String?
    ) {
        self.id = id
        self.capturedAt = capturedAt
        self.photoURL = photoURL
        self.audioURL = audioURL
        self.transcription = transcription
    }

    /// Whether `text` may be the id of a capture, and so part of a file's path: 1 to 128 characters
    /// of `A-Z a-z 0-9 - _ .`, the first no dot.
    public static func isID(_ text: some StringProtocol) -> Bool {
        (1...idCharactersMax).contains(text.utf8.count) && text.utf8.first != UInt8(ascii: ".")
            && text.utf8.allSatisfy(isIDByte)
    }

    /// Whether `text` may be a user's id: 1 to 128 characters without control characters.
    public static func isUserID(_ text: String) -> Bool {
        (1...idCharactersMax).contains(text.unicodeScalars.count)
            && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
    }

    static let idCharactersMax = 128
    static let urlBytesMax = 2048
    static let transcriptionBytesMax = 32 * 1024

    private static func isIDByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"),
            UInt8(ascii: "."):
            true
        default: false
        }
    }
}
