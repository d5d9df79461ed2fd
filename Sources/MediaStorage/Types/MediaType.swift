/// A type of file that the server knows by its bytes, by its registered name and by its extension.
public enum MediaType: String, Sendable, Hashable, CaseIterable {
    case jpeg = "image/jpeg"
    case png = "image/png"
    case webp = "image/webp"
    case gif = "image/gif"
    case heic = "image/heic"
    case avif = "image/avif"
    case tiff = "image/tiff"
    case bmp = "image/bmp"
    case mp4 = "video/mp4"
    case mov = "video/quicktime"
    case webm = "video/webm"
    case threeGP = "video/3gpp"
    case m4a = "audio/mp4"
    case mp3 = "audio/mpeg"
    case wav = "audio/wav"
    case aac = "audio/aac"
    case flac = "audio/flac"
    case ogg = "audio/ogg"
    case aiff = "audio/aiff"
    case caf = "audio/x-caf"
    case amr = "audio/amr"

    /// What a file of the type holds.
    public enum Kind: Sendable, Hashable {
        case image, video, audio
    }

    /// What a file of the type holds. A container for video may hold sound alone.
    public var kind: Kind {
        switch self {
        case .jpeg, .png, .webp, .gif, .heic, .avif, .tiff, .bmp: .image
        case .mp4, .mov, .webm, .threeGP: .video
        case .m4a, .mp3, .wav, .aac, .flac, .ogg, .aiff, .caf, .amr: .audio
        }
    }

    /// The usual one, without a dot.
    public var fileExtension: String {
        switch self {
        case .jpeg: "jpg"
        case .png: "png"
        case .webp: "webp"
        case .gif: "gif"
        case .heic: "heic"
        case .avif: "avif"
        case .tiff: "tiff"
        case .bmp: "bmp"
        case .mp4: "mp4"
        case .mov: "mov"
        case .webm: "webm"
        case .threeGP: "3gp"
        case .m4a: "m4a"
        case .mp3: "mp3"
        case .wav: "wav"
        case .aac: "aac"
        case .flac: "flac"
        case .ogg: "ogg"
        case .aiff: "aiff"
        case .caf: "caf"
        case .amr: "amr"
        }
    }

    /// The type that a client declares; the spellings that clients use beside the registered one
    /// count too.
    ///
    /// - Parameter declared: `type/subtype` in lower case, without parameters.
    public init?(declared: String) {
        switch declared {
        case "image/jpg", "image/pjpeg": self = .jpeg
        case "image/x-png": self = .png
        case "image/heif", "image/heic-sequence", "image/heif-sequence": self = .heic
        case "image/x-ms-bmp": self = .bmp
        case "video/x-m4v": self = .mp4
        case "audio/m4a", "audio/x-m4a", "audio/mp4a-latm": self = .m4a
        case "audio/mp3", "audio/x-mp3", "audio/x-mpeg": self = .mp3
        case "audio/x-wav", "audio/wave", "audio/vnd.wave": self = .wav
        case "audio/x-aac", "audio/aacp": self = .aac
        case "audio/x-flac": self = .flac
        case "audio/opus", "audio/vorbis", "application/ogg": self = .ogg
        case "audio/x-aiff": self = .aiff
        default: self.init(rawValue: declared)
        }
    }

    /// The type that a file's name claims.
    ///
    /// - Parameter fileExtension: in lower case, without its dot.
    public init?(fileExtension: String) {
        switch fileExtension {
        case "jpeg", "jpe", "jfif": self = .jpeg
        case "heif": self = .heic
        case "tif": self = .tiff
        case "m4v": self = .mp4
        case "qt": self = .mov
        case "3gpp": self = .threeGP
        case "wave": self = .wav
        case "oga", "opus": self = .ogg
        case "aif", "aifc": self = .aiff
        default:
            guard let type = Self.allCases.first(where: { $0.fileExtension == fileExtension })
            else { return nil }
            self = type
        }
    }
}
