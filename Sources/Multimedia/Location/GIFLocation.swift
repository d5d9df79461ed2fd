import MediaStorage

/// GIF: the application extension with an XMP packet.
///
/// The packet stands there as it is, not in blocks: its bytes, taken for lengths of blocks, lead any
/// reader into 258 bytes behind it that lead to the extension's end. Spaces do so too.
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
                    try erasePacket(file, place + 14)
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

    private static func erasePacket(_ file: StagedBytes, _ start: Int) throws(MediaStoreError) {
        let bytes = try file.read(at: start, LocationEraser.blockBytesMax)
        var end = 0
        while end + 2 < bytes.count, !(bytes[end] == 1 && bytes[end + 1] == 0xFF) { end += 1 }
        try LocationEraser.edit(file, start..<(start + end)) { XMPLocation.erase(in: &$0) }
    }

    /// Behind the empty block that ends a row of blocks.
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
