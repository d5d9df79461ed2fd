public import Inspections

/// The two files that a capture may have, by their stored names.
public enum CaptureFile: String, Sendable, Hashable, CaseIterable {
    case photo = "photo.jpg"
    case audio = "audio.m4a"

    /// Decides which file an uploaded part is. Its declared type is checked first, then its file
    /// name's extension, then its first bytes; the first of them that is an image or audio type
    /// decides.
    ///
    /// - Returns: nil when none is, and when the content is known to be of another kind than
    ///   decided: sound declared as a picture, or a picture declared as sound. A container that may
    ///   hold only sound (MP4, QuickTime, 3GPP, WebM) is accepted as audio.
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

    /// The content type to serve a file with: what its bytes are, whatever was declared. Unknown
    /// bytes are served as such, for saving.
    public static func contentType(_ content: MediaType?) -> String {
        content?.rawValue ?? "application/octet-stream"
    }

    /// Accepts any declared type under `image/` and `audio/`.
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
