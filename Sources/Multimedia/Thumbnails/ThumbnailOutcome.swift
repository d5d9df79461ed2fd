public import MediaStorage

/// What became of a thumbnail that was asked for.
public enum ThumbnailOutcome: Sendable {
    /// Open: to be served like any file, with a type and a tag of its own.
    case made(StoredMedia)
    /// No image: a film or sound.
    case unsupported
    /// An image that can't be decoded.
    case unreadable
    /// An image of more pixels than this is not decoded.
    case tooManyPixels(max: Int)
    /// Too many wait already.
    case busy
    /// The file was deleted meanwhile.
    case gone
}
