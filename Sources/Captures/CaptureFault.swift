public import JSONText

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
