/// The two files that a capture may have, by the names they are stored under.
public enum CaptureFile: String, Sendable, Hashable, CaseIterable {
    case photo = "photo.jpg"
    case audio = "audio.m4a"

    /// Which of them an uploaded part is: by its declared type, then its file name's extension, then
    /// its first bytes; the first of the three that says image or audio decides.
    ///
    /// - Returns: nil for what is neither, and for a part whose bytes are known to be of another
    ///   kind than was decided: sound that claims to be a picture, a picture that claims to be
    ///   sound. A container that may hold sound alone (MP4, QuickTime, 3GPP, WebM) passes as audio.
    /// - Source: the contract's upload route.
    public init?(part: PartHeader, content: MediaType?) {
        let claims = [
            part.contentType.flatMap(Self.init(declared:)),
            part.fileExtension.flatMap(MediaType.init(fileExtension:)).flatMap(Self.init(type:)),
            content.flatMap(Self.init(type:)),
        ]
        guard let file = claims.lazy.compactMap({ $0 }).first, file.mayHold(content) else {
            return nil
        }
        self = file
    }

    /// What is served as the file's type where its bytes tell nothing: what the part claimed if
    /// that fits, else what the name says.
    public func contentType(part: PartHeader, content: MediaType?) -> MediaType {
        let declared = part.contentType.flatMap(MediaType.init(declared:))
        let named = part.fileExtension.flatMap(MediaType.init(fileExtension:))
        let known = [content, declared, named].compactMap { $0 }.first { Self(type: $0) == self }
        switch self {
        case .photo: return known ?? .jpeg
        case .audio: return known ?? .m4a
        }
    }

    /// Any type under `image/` and `audio/` is taken by its word.
    private init?(declared: String) {
        if declared.hasPrefix("image/") {
            self = .photo
        } else if declared.hasPrefix("audio/") {
            self = .audio
        } else {
            return nil
        }
    }

    private init?(type: MediaType) {
        switch type.kind {
        case .image: self = .photo
        case .audio: self = .audio
        case .video: return nil
        }
    }

    private func mayHold(_ content: MediaType?) -> Bool {
        switch (self, content?.kind) {
        case (_, nil), (.photo, .image), (.audio, .audio), (.audio, .video): true
        case (.photo, .audio), (.photo, .video), (.audio, .image): false
        }
    }
}
