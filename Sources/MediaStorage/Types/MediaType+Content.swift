extension MediaType {
    /// Bytes from a file's beginning that ``init(content:)`` looks at, at most.
    public static let contentBytesMax = 64

    /// The type that a file is by its first bytes; nil for one that is none of these.
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

    /// By the major brand of an `ftyp` box, else by the first compatible brand that says more than
    /// "a file of this family".
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

    /// QuickTime files from before the `ftyp` box begin with one of these boxes.
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
