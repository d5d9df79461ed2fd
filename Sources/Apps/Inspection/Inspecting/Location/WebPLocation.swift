/// WebP: the RIFF chunks.
///
/// - Source: RFC 9649, 2.
enum WebPLocation {
    private static let kept: Set<String> = ["VP8 ", "VP8L", "VP8X", "ANIM", "ANMF", "ALPH", "ICCP"]

    static func erase(from file: FileBytes) throws(Unsettled) {
        var chunks = try RIFFChunks(file)
        while let chunk = try chunks.next() {
            switch chunk.name {
            case let name where kept.contains(name): break
            case "EXIF": try ExifLocation.erase(from: file, chunk.data)
            case "XMP ":
                if !XMPLocation.mayStay(try file.read(chunk.data)) {
                    try file.fill(chunk.data, with: UInt8(ascii: " "))
                }
            default: try file.fill(chunk.data)
            }
        }
        try chunks.eraseRest()
    }
}
