import Inspections

/// The role of a file in its record; it decides the accepted types and the largest size.
enum FileRole: Sendable, Equatable {
    /// An image or a video.
    case picture
    case voiceNote
    /// The picture of a user.
    case portrait

    /// By the part's name; nil when the kind has no such file part.
    init?(part: String, of kind: JournalKind) {
        switch (part, kind) {
        case ("file", .profilePicture): self = .portrait
        case (_, .profilePicture): return nil
        case ("file", _), ("image", _): self = .picture
        case ("voiceNote", .mood): self = .voiceNote
        default: return nil
        }
    }

    /// In the order in which messages list them.
    var accepted: [MediaType] {
        switch self {
        case .picture: [.jpeg, .png, .webp, .gif, .mp4, .mov]
        case .voiceNote: [.mp3, .m4a, .wav]
        case .portrait: [.jpeg, .png, .webp]
        }
    }

    /// Whether a file whose first bytes look like `type` may be accepted in the end: an MP4 file is
    /// sound or video by its streams, not by its first bytes.
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
