/// What a file is called in lists and when it is saved. Nothing is ever stored under it.
enum FileName {
    /// UTF-8 bytes at most, as file systems have it.
    static let bytesMax = 255

    /// The last component of whatever the client sent, without what can't be seen (controls, marks
    /// that turn the direction of writing) and without dots in front, cut to ``bytesMax`` before its
    /// extension. One whose extension says no type of file that is known here gets the right one
    /// added: what is saved under it can't act as something else.
    static func cleaned(_ name: String?, type: MediaType?) -> String {
        // Scalars, not characters: a slash with a mark on it is no slash to those who compare these.
        let parts = name?.unicodeScalars.split(whereSeparator: { $0 == "/" || $0 == "\\" })
        var scalars = Array((parts?.last ?? Substring.UnicodeScalarView()).filter(isVisible))
        while let first = scalars.first, isTrimmed(first) || first == "." { scalars.removeFirst() }
        while let last = scalars.last, isTrimmed(last) { scalars.removeLast() }
        let text = String(String.UnicodeScalarView(scalars))
        var (stem, ending) = split(text.isEmpty ? "file" : text)
        let known = ending.dropFirst().lowercased()
        if let type, MediaType(fileExtension: known) == nil {
            stem += ending
            ending = "." + type.fileExtension
        }
        return cut(stem, bytesMax - ending.utf8.count) + ending
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
            // A joiner makes one emoji of several.
            scalar == "\u{200D}"
        default: true
        }
    }

    private static func isTrimmed(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace
    }

    /// The extension with its dot; none if it is longer than any is.
    private static func split(_ text: String) -> (stem: String, ending: String) {
        guard let dot = text.lastIndex(of: "."), dot != text.startIndex else { return (text, "") }
        let ending = text[dot...]
        guard (2...16).contains(ending.utf8.count) else { return (text, "") }
        return (String(text[..<dot]), String(ending))
    }

    /// Whole characters in so many bytes.
    private static func cut(_ text: String, _ bytes: Int) -> String {
        guard text.utf8.count > bytes else { return text }
        var kept = ""
        var count = 0
        for character in text {
            count += character.utf8.count
            guard count <= bytes else { break }
            kept.append(character)
        }
        // One character of more bytes than that: its first scalars.
        return kept.isEmpty ? "file" : kept
    }
}

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
