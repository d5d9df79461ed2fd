public import JSONText
public import Readings

/// Why a frame is not a valid capture.
public enum CaptureFault: Error, Equatable, Sendable {
    /// The field at fault.
    public enum Field: String, Sendable, CaseIterable {
        case type
        case id
        case timestamp
        case photoURL
        case audioURL
        case transcription
    }

    /// The rule that a field's value breaks.
    public enum Rule: Equatable, Sendable {
        case missing
        case notString
        /// Has U+0000 or half of a surrogate pair, which PostgreSQL's `text` can't hold.
        case notText
        case tooLong(bytesMax: Int)
        case notTime
        /// Too old, or too far ahead of the server's clock.
        case notAccepted(ClosedRange<Timestamp>)
        case notID
        case notURL
    }

    /// Not JSON; `offset` is in bytes.
    case notJSON(JSONFault, offset: Int)
    /// One of our fields occurs twice.
    case duplicateKey(Field)
    /// JSON, but not an object with the type `memory_capture`.
    case otherType
    /// A field's value breaks a rule.
    case field(Field, Rule)
}
