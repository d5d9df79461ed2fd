import Glibc

/// XMP, which stays as a whole or is blanked as a whole.
///
/// - Source: ISO 16684-1 (XMP), 7; the namespaces in exiftool's and Google's documentation.
enum XMPLocation {
    /// In names of properties that hold places, and of those that hold pictures, which have
    /// metadata of their own.
    private static let words = [
        "gps", "latitude", "longitude", "geo:", "location", "city", "country", "province",
        "address",
        "photoshop:state", "gimg:", "gimage:", "gdepth:", "gaudio:", "base64",
    ]

    /// Whether the text has none of the words, in any case. Zeros are skipped, because UTF-16 and
    /// UTF-32 have them between letters.
    static func mayStay(_ packet: [UInt8]) -> Bool {
        !mentions(words, packet)
    }

    static func mentions(_ words: [String], _ packet: [UInt8]) -> Bool {
        let text = packet.filter { $0 != 0 }
            .map { CChar(bitPattern: (65...90).contains($0) ? $0 + 32 : $0) }
        let ended = text + [0]
        return words.contains { strstr(ended, $0) != nil }
    }
}
