public import JSONText

/// Why a body is not a valid profile.
public enum ProfileFault: Error, Equatable, Sendable {
    /// Not JSON; `offset` is in bytes.
    case notJSON(JSONFault, offset: Int)
    /// JSON, but not an object.
    case notObject
    /// `summary` is absent, null or empty.
    case summaryMissing
    /// Neither `summary` nor `timeZone` is given.
    case nothingGiven
    /// `summary` is neither a string nor an object.
    case summaryInvalid
    /// `timeZone` is not one of the names that `TimeZoneNames` contains.
    case timeZoneUnknown
    /// A string has U+0000 or half of a surrogate pair.
    case notText
    /// `summary` or `timeZone` occurs twice.
    case duplicateKey(String)
    /// The body is larger than ``ProfileRequest/bytesMax``.
    case tooLarge

    /// One line for the client.
    public var detail: String {
        switch self {
        case .notJSON(_, let offset): "the body is no JSON: fault at byte \(offset)"
        case .notObject: "the body must be a JSON object"
        case .summaryMissing: "summary is missing"
        case .nothingGiven: "summary or timeZone must be given"
        case .summaryInvalid: "summary must be a string or an object"
        case .timeZoneUnknown: "timeZone is no name of a time zone"
        case .notText: "the body must not contain U+0000 or half of a surrogate pair"
        case .duplicateKey(let key): "\(key) stands twice"
        case .tooLarge: "the body is longer than \(ProfileRequest.bytesMax) bytes"
        }
    }
}
