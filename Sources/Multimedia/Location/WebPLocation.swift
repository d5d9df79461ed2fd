import MediaStorage

/// WebP: the RIFF chunks `EXIF` and `XMP `.
///
/// - Source: RFC 9649, 2.
enum WebPLocation {
    static func erase(from file: StagedBytes) throws(MediaStoreError) -> Bool {
        var place = 12
        for _ in 0..<LocationEraser.blocksMax {
            let head = try file.read(at: place, 8)
            guard head.count == 8 else { return true }
            let length = head[4...].reversed().reduce(0) { $0 << 8 | Int($1) }
            let data = ((place + 8)..<(place + 8 + length)).clamped(to: 0..<file.count)
            switch String(decoding: head[..<4], as: UTF8.self) {
            case "EXIF", "XMP ":
                guard data.count <= LocationEraser.blockBytesMax else {
                    try file.fill(data, with: 0)
                    break
                }
                let isEXIF = head[0] == UInt8(ascii: "E")
                try LocationEraser.edit(file, data) {
                    isEXIF ? ExifLocation.eraseNamed(in: &$0) : XMPLocation.erase(in: &$0)
                }
            default: break
            }
            // Chunks begin at even places.
            place += 8 + length + length % 2
        }
        return false
    }
}
