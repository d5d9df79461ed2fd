public import Ingestion
public import JSONText
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

extension Capture {
    /// Captures as lanes write them; what the statement says is for ``CaptureReply``.
    public static let unitKind = UnitKind(
        name: "capture", statement: "SELECT place, result FROM sluice.store_captures($1, $2, $3)")

    /// What a lane is given.
    ///
    /// - Parameters:
    ///   - user: whose it is; see ``isUserID(_:)``.
    ///   - receivedAt: now. Orders the forms of a capture only where the lane's stamp is not known,
    ///     which is in programs of an older version.
    public func unit(user: String, receivedAt: Timestamp) -> WorkUnit {
        precondition(Self.isUserID(user), "BUG: a user id that was not checked")
        var json = "{\"id\":"
        json.reserveCapacity(256 + (transcription?.utf8.count ?? 0))
        JSONString.append(id, to: &json)
        Self.append("user", user, to: &json)
        Self.append("t", capturedAt.microsecondsText, to: &json)
        Self.append("at", receivedAt.microsecondsText, to: &json)
        Self.append("photo", photoURL, to: &json)
        Self.append("audio", audioURL, to: &json)
        Self.append("text", transcription, to: &json)
        json += "}"
        return WorkUnit(kind: Self.unitKind, owner: user, payload: json)
    }

    private static func append(_ key: StaticString, _ value: String?, to json: inout String) {
        guard let value else { return }
        json += ",\"\(key)\":"
        JSONString.append(value, to: &json)
    }
}

/// Why a frame is no capture.
public enum CaptureFault: Error, Equatable, Sendable {
    /// A field of a capture that a fault is about.
    public enum Field: String, Sendable, CaseIterable {
        case type
        case id
        case timestamp
        case photoURL
        case audioURL
        case transcription
    }

    /// What is wrong with a field's value.
    public enum Rule: Equatable, Sendable {
        case missing
        case notString
        /// U+0000 or half of a surrogate pair, which no text in PostgreSQL can hold.
        case notText
        case tooLong(bytesMax: Int)
        case notTime
        case notID
        case notURL
    }

    /// No JSON; `offset` in bytes.
    case notJSON(JSONFault, offset: Int)
    /// A field of ours stands twice.
    case duplicateKey(Field)
    /// JSON, but no object of the type `memory_capture`.
    case otherType
    /// A capture that can't be kept as it is.
    case field(Field, Rule)
}
