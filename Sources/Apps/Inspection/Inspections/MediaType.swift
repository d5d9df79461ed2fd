/// A file type that the server detects from content, and knows by its registered name and
/// extension.
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

    /// What a file of the type holds. A video container may hold only sound.
    public var kind: Kind {
        switch self {
        case .jpeg, .png, .webp, .gif, .heic, .avif, .tiff, .bmp: .image
        case .mp4, .mov, .webm, .threeGP: .video
        case .m4a, .mp3, .wav, .aac, .flac, .ogg, .aiff, .caf, .amr: .audio
        }
    }

    /// The usual extension, without a dot.
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

    /// The type that a client declares. Common unregistered spellings are accepted too.
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

    /// The type that a file name's extension stands for.
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

extension MediaType {
    /// The most bytes from a file's start that ``init(content:)`` examines.
    public static let contentBytesMax = 64

    /// Detects the type from a file's first bytes; nil when it is unknown.
    ///
    /// - Source: the formats' own specifications, as the WHATWG MIME Sniffing standard and
    ///   ISO/IEC 14496-12 (the `ftyp` box) gather them.
    public init?(content: some Collection<UInt8>) {
        let bytes = [UInt8](content.prefix(Self.contentBytesMax))
        func has(_ text: StaticString, at offset: Int = 0) -> Bool {
            bytes.count >= offset + text.utf8CodeUnitCount
                && text.withUTF8Buffer { bytes[offset...].starts(with: $0) }
        }
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if has("GIF87a") || has("GIF89a") {
            self = .gif
        } else if has("RIFF") && has("WEBP", at: 8) {
            self = .webp
        } else if (has("RIFF") || has("RF64")) && has("WAVE", at: 8) {
            self = .wav
        } else if has("ftyp", at: 4) {
            guard let type = Self.brand(bytes) else { return nil }
            self = type
        } else if Self.isOldQuickTime(bytes) {
            self = .mov
        } else if bytes.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) {
            self = .webm
        } else if has("ID3") || Self.isMPEGAudioFrame(bytes) {
            self = .mp3
        } else if Self.isADTSFrame(bytes) {
            self = .aac
        } else if has("fLaC") {
            self = .flac
        } else if has("OggS") {
            self = .ogg
        } else if has("FORM") && (has("AIFF", at: 8) || has("AIFC", at: 8)) {
            self = .aiff
        } else if has("caff") {
            self = .caf
        } else if has("#!AMR") {
            self = .amr
        } else if bytes.starts(with: [0x49, 0x49, 0x2A, 0x00])
            || bytes.starts(with: [0x4D, 0x4D, 0x00, 0x2A])
        {
            self = .tiff
        } else if has("BM") && bytes.count >= 14 && bytes[6..<10].allSatisfy({ $0 == 0 }) {
            self = .bmp
        } else {
            return nil
        }
    }

    /// Uses the major brand of an `ftyp` box, or else the first compatible brand that is more
    /// specific than the MP4 family.
    private static func brand(_ bytes: [UInt8]) -> Self? {
        let boxBytes = bytes[..<4].reduce(0) { $0 << 8 | Int($1) }
        let end = min(bytes.count, max(12, boxBytes))
        var places = [8]
        places.append(contentsOf: stride(from: 16, to: end, by: 4))
        var isFamily = false
        for place in places where place + 4 <= end {
            switch String(decoding: bytes[place..<place + 4], as: UTF8.self) {
            case "heic", "heix", "heim", "heis", "hevc", "hevx": return .heic
            case "avif", "avis": return .avif
            case "M4A ", "M4B ", "M4P ": return .m4a
            case "qt  ": return .mov
            case "3gp1", "3gp2", "3gp3", "3gp4", "3gp5", "3gp6", "3gp7", "3ge6", "3gg6", "3g2a":
                return .threeGP
            case "isom", "iso2", "iso3", "iso4", "iso5", "iso6", "mp41", "mp42", "avc1", "M4V ",
                "M4VH", "M4VP", "dash", "MSNV", "f4v ", "mmp4":
                isFamily = true
            default: break
            }
        }
        return isFamily ? .mp4 : nil
    }

    /// QuickTime files older than the `ftyp` box begin with one of these boxes.
    private static func isOldQuickTime(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 12 else { return false }
        return ["moov", "mdat", "wide", "free", "skip"]
            .contains(String(decoding: bytes[4..<8], as: UTF8.self))
            && bytes[0] == 0
    }

    /// A header of MPEG-1, 2 or 2.5 layer III (or II) with a valid rate.
    private static func isMPEGAudioFrame(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= 4, bytes[0] == 0xFF, bytes[1] & 0xE0 == 0xE0 else { return false }
        let version = bytes[1] >> 3 & 3
        let layer = bytes[1] >> 1 & 3
        let bitRate = bytes[2] >> 4
        let sampleRate = bytes[2] >> 2 & 3
        return version != 1 && (layer == 1 || layer == 2) && bitRate != 0 && bitRate != 15
            && sampleRate != 3
    }

    private static func isADTSFrame(_ bytes: [UInt8]) -> Bool {
        bytes.count >= 4 && bytes[0] == 0xFF && bytes[1] & 0xF6 == 0xF0
            && bytes[2] >> 2 & 15 < 13
    }
}
