import CZlib

/// PNG: the chunks up to `IEND`. The checksum of a changed chunk is computed again.
///
/// - Source: W3C PNG (third edition), 5 and 11.3.
enum PNGLocation {
    static func erase(from file: StagedBytes) throws(MediaStoreError) -> Bool {
        var place = 8
        for _ in 0..<LocationEraser.blocksMax {
            guard let length = try file.number(at: place, 4), place + 12 + length <= file.count
            else {
                return true
            }
            let name = try file.text(at: place + 4, 4)
            if name == "IEND" { return true }
            let data = (place + 8)..<(place + 8 + length)
            if try isToBeEmptied(file, name, data) {
                // An ancillary, private, safe-to-copy chunk type that every reader skips.
                try file.overwrite(Array("voId".utf8), at: place + 4)
                try file.fill(data, with: 0)
                try sign(file, place + 4, 4 + length)
            } else if let erase = eraser(name) {
                if try LocationEraser.edit(file, data, erase) {
                    try sign(file, place + 4, 4 + length)
                }
            }
            place += 12 + length
        }
        return false
    }

    private static func eraser(_ name: String) -> ((inout [UInt8]) -> Bool)? {
        switch name {
        case "eXIf": { ExifLocation.eraseNamed(in: &$0) }
        case "iTXt":
            { data in
                guard let start = textStart(data) else { return false }
                var text = Array(data[start...])
                guard XMPLocation.erase(in: &text) else { return false }
                data.replaceSubrange(start..., with: text)
                return true
            }
        default: nil
        }
    }

    /// Whether a chunk can't be edited here, or its keyword names a place.
    private static func isToBeEmptied(
        _ file: StagedBytes, _ name: String, _ data: Range<Int>
    ) throws(MediaStoreError) -> Bool {
        guard ["tEXt", "zTXt", "iTXt", "eXIf"].contains(name) else { return false }
        if data.count > LocationEraser.blockBytesMax { return true }
        guard name != "eXIf" else { return false }
        let head = try file.read(at: data.lowerBound, min(data.count, 82))
        let keyword = Array(head.prefix { $0 != 0 })
        if XMPLocation.mentionsPlace(keyword) { return true }
        let text = String(decoding: keyword, as: UTF8.self).lowercased()
        if name == "iTXt" {
            let isCompressed = head.dropFirst(keyword.count + 1).first == 1
            return isCompressed && text.hasPrefix("xml:com.adobe.xmp")
        }
        return ["exif", "app1", "xmp"].contains { text == "raw profile type \($0)" }
    }

    /// The start of an uncompressed XMP packet in an `iTXt` chunk: after the keyword, two flags, a
    /// language and a translated keyword.
    private static func textStart(_ data: [UInt8]) -> Int? {
        guard data.starts(with: Array("XML:com.adobe.xmp\0".utf8)),
            let language = data.dropFirst(20).firstIndex(of: 0),
            let translated = data[(language + 1)...].firstIndex(of: 0)
        else { return nil }
        return translated + 1
    }

    private static func sign(
        _ file: StagedBytes, _ start: Int, _ count: Int
    ) throws(MediaStoreError) {
        var sum = crc32(0, nil, 0)
        var place = start
        while place < start + count {
            let piece = try file.read(at: place, min(64 << 10, start + count - place))
            sum = crc32(sum, piece, UInt32(piece.count))
            place += piece.count
        }
        let bytes = withUnsafeBytes(of: UInt32(sum).bigEndian) { Array($0) }
        try file.overwrite(bytes, at: start + count)
    }
}

/// GIF: the application extension with an XMP packet.
///
/// The packet is not divided into sub-blocks. A reader that takes its bytes for sub-block lengths
/// always lands in the 258 bytes after the packet, which lead to the end of the extension. The
/// spaces that replace a property work the same way.
///
/// - Source: GIF89a, 18 to 26; Adobe's XMP specification, part 3, 1.1.2.
enum GIFLocation {
    static func erase(from file: StagedBytes) throws(MediaStoreError) -> Bool {
        guard let flags = try file.number(at: 10, 1) else { return true }
        var place = 13 + tableBytes(flags)
        for _ in 0..<LocationEraser.blocksMax {
            switch try file.number(at: place, 1) {
            case 0x21:
                if try file.number(at: place + 1, 1) == 0xFF,
                    try file.text(at: place + 3, 11) == "XMP DataXMP"
                {
                    guard try erasePacket(file, place + 14) else { return false }
                }
                guard let end = try blocksEnd(file, place + 2) else { return true }
                place = end
            case 0x2C:
                guard let flags = try file.number(at: place + 9, 1),
                    let end = try blocksEnd(file, place + 11 + tableBytes(flags))
                else { return true }
                place = end
            default: return true
            }
        }
        return false
    }

    private static func tableBytes(_ flags: Int) -> Int {
        flags & 0x80 == 0 ? 0 : 6 << (flags & 7)
    }

    /// - Returns: false if the packet is longer than ``LocationEraser/blockBytesMax``.
    private static func erasePacket(
        _ file: StagedBytes, _ start: Int
    ) throws(MediaStoreError) -> Bool {
        let bytes = try file.read(at: start, LocationEraser.blockBytesMax)
        var end = 0
        while end + 2 < bytes.count, !(bytes[end] == 1 && bytes[end + 1] == 0xFF) { end += 1 }
        if end + 2 >= bytes.count, bytes.count == LocationEraser.blockBytesMax { return false }
        try LocationEraser.edit(file, start..<(start + end)) { XMPLocation.erase(in: &$0) }
        return true
    }

    /// The offset after the empty block that ends a sequence of blocks.
    private static func blocksEnd(
        _ file: StagedBytes, _ start: Int
    ) throws(MediaStoreError) -> Int? {
        var place = start
        while let length = try file.number(at: place, 1) {
            place += 1 + length
            if length == 0 { return place }
        }
        return nil
    }
}

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
            // Chunks begin at even offsets.
            place += 8 + length + length % 2
        }
        return false
    }
}
