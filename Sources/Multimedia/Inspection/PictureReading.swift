public import MediaStorage

/// A picture as far as its header and metadata tell.
public struct PictureReading: Sendable, Equatable {
    /// What its first bytes say.
    public var type: MediaType
    /// Of the file.
    public var bytes: Int
    /// What it tells; nothing where no library can read the type.
    public var facts = ImageFacts()

    /// Why nothing is told of a picture.
    public enum Unreadable: Error, Equatable, Sendable {
        /// No picture that is known here.
        case unknownFormat
        /// A picture's first bytes, and then something that can't be read, or not within the limits.
        case damaged(MediaType)
    }
}
