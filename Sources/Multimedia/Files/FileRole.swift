import MediaStorage

/// What a file is to its record, and so which types it may have and how large it may be.
enum FileRole: Sendable, Equatable {
    /// An image or a video.
    case picture
    case voiceNote
    /// The picture of a user.
    case portrait

    /// By the part's name; nil for a part that is no file of the kind.
    init?(part: String, of kind: JournalKind) {
        switch (part, kind) {
        case ("file", .profilePicture): self = .portrait
        case (_, .profilePicture): return nil
        case ("file", _), ("image", _): self = .picture
        case ("voiceNote", .mood): self = .voiceNote
        default: return nil
        }
    }

    /// In the order in which people are told.
    var accepted: [MediaType] {
        switch self {
        case .picture: [.jpeg, .png, .webp, .gif, .mp4, .mov]
        case .voiceNote: [.mp3, .m4a, .wav]
        case .portrait: [.jpeg, .png, .webp]
        }
    }

    /// Whether a file that begins as one of `type` may turn out to be accepted: one of the family of
    /// MP4 is sound or a video by what is in it, not by how it begins.
    func mayBecomeAccepted(_ type: MediaType?) -> Bool {
        guard let type else { return false }
        return accepted.contains(type) || (self == .voiceNote && type == .mp4)
    }

    func bytesMax(_ configuration: JournalConfiguration) -> Int {
        switch self {
        case .picture: configuration.fileBytesMax
        case .voiceNote: configuration.voiceNoteBytesMax
        case .portrait: configuration.profilePictureBytesMax
        }
    }
}
