/// What a photo's own metadata tells; nobody looked at its pixels.
public struct ImageFacts: Sendable, Equatable {
    /// Larger files are not read.
    public static let bytesMax = 32 << 20

    /// File formats that photos come in, told by their first bytes.
    public enum Format: String, Sendable {
        // By their usual names.
        case jpeg = "JPEG"
        case png = "PNG"
        case webp = "WebP"
        case gif = "GIF"
        case heic = "HEIC"
        case tiff = "TIFF"
    }

    /// Where north is +, south −; east +, west −; degrees.
    public struct Coordinates: Sendable, Equatable {
        /// −90 to 90.
        public var latitude: Double
        /// −180 to 180.
        public var longitude: Double
    }

    /// What kind of file it is.
    public var format: Format
    /// Of the file.
    public var bytes: Int
    /// As the picture is to be seen, after turning it; nil when the file does not tell.
    public var width: Int?
    /// As the picture is to be seen, after turning it; nil when the file does not tell.
    public var height: Int?
    /// EXIF's `DateTimeOriginal` as it stands there, in the camera's own time:
    /// `2026-01-24 10:30:00`.
    public var taken: String?
    /// From EXIF's GPS tags.
    public var coordinates: Coordinates?
    /// Maker and model.
    public var camera: String?

    /// Why nothing is told of an image.
    public enum Unreadable: Error, Equatable, Sendable {
        /// So many bytes.
        case tooLarge(Int)
        /// No image that is known here.
        case unknownFormat
        /// An image's first bytes, and then something that can't be read.
        case damaged(Format)
    }
}

extension ImageFacts.Format {
    /// By the file's first bytes; nil for what is none of these.
    public init?(magic bytes: some Collection<UInt8>) {
        let head = Array(bytes.prefix(16))
        func has(_ text: String, at offset: Int) -> Bool {
            head.dropFirst(offset).starts(with: text.utf8)
        }
        if head.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if head.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if has("RIFF", at: 0), has("WEBP", at: 8) {
            self = .webp
        } else if has("GIF8", at: 0) {
            self = .gif
        } else if has("ftyp", at: 4),
            ["heic", "heix", "hevc", "mif1", "heif", "msf1"].contains(where: { has($0, at: 8) })
        {
            self = .heic
        } else if head.starts(with: [0x49, 0x49, 0x2A, 0])
            || head.starts(with: [0x4D, 0x4D, 0, 0x2A])
        {
            self = .tiff
        } else {
            return nil
        }
    }

    /// For HTTP and for models.
    public var contentType: String {
        switch self {
        case .jpeg: "image/jpeg"
        case .png: "image/png"
        case .webp: "image/webp"
        case .gif: "image/gif"
        case .heic: "image/heic"
        case .tiff: "image/tiff"
        }
    }
}
