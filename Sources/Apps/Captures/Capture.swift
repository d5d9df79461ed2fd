public import Ingest
import JSONText
public import Readings

/// What a phone captured: a photo, a recording and its transcription, each optional.
public struct Capture: Sendable, Equatable {
    /// The client's id, or a UUID if the client sent none.
    public let id: String
    /// When it was captured, by the client's clock; in the years 1 to 9999 UTC.
    public let capturedAt: Timestamp
    /// The photo's http or https URL.
    public let photoURL: String?
    /// The recording's http or https URL.
    public let audioURL: String?
    /// The text of the recording.
    public let transcription: String?

    /// Takes fields that are already checked.
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

    /// Whether `text` is a valid capture id, and so may be part of a file's path: 1 to 128
    /// characters of `A-Z a-z 0-9 - _ .`, not beginning with a dot.
    public static func isID(_ text: some StringProtocol) -> Bool {
        (1...idCharactersMax).contains(text.utf8.count) && text.utf8.first != UInt8(ascii: ".")
            && text.utf8.allSatisfy(isIDByte)
    }

    /// Whether `text` is a valid user id: 1 to 128 Unicode scalars without control characters.
    public static func isUserID(_ text: String) -> Bool {
        (1...idCharactersMax).contains(text.unicodeScalars.count)
            && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
    }

    static let idCharactersMax = 128
    /// Of a contact's name in a path; longer than any name that is found in a capture.
    public static let contactNameCharactersMax = 256
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
    /// The kind under which lanes write captures. ``CaptureReply`` turns the statement's result
    /// into a frame.
    public static let unitKind = UnitKind(
        name: "capture", statement: "SELECT place, result FROM sluice.store_captures($1, $2, $3)")

    /// The capture as a unit of work for a lane.
    ///
    /// - Parameters:
    ///   - user: the capture's owner; see ``isUserID(_:)``.
    ///   - receivedAt: now. Lanes stamp units themselves, so this orders the versions of a capture
    ///     only for programs of an older version, which ignore the lane's stamp.
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
