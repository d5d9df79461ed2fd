/// The type, size and facts of a picture.
public struct PictureReading: Sendable, Equatable {
    /// Detected from the first bytes.
    public var type: MediaType
    /// The size of the file.
    public var bytes: Int
    /// Empty when the library can't read this type.
    public var facts: ImageFacts

    package init(type: MediaType, bytes: Int, facts: ImageFacts = ImageFacts()) {
        self.type = type
        self.bytes = bytes
        self.facts = facts
    }

    /// Why a picture has no facts.
    public enum Unreadable: Error, Equatable, Sendable {
        /// Not a known picture type.
        case unknownFormat
        /// It begins like a picture, but can't be read within the limits.
        case damaged(MediaType)
    }
}
