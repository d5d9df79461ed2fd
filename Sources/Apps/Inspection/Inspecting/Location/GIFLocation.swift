/// GIF: frames and what they need. The data of all other extensions are blanked, block by block, so
/// that every reader finds the same blocks.
///
/// - Source: GIF89a, 18 to 26.
enum GIFLocation {
    private static let graphicControl = 0xF9
    private static let application = 0xFF
    /// The loop, in its two names, and colour profiles.
    private static let applications = ["NETSCAPE2.0", "ANIMEXTS1.0", "ICCRGBG1012"]

    static func erase(from file: FileBytes) throws(Unsettled) {
        var place = 13 + tableBytes(try file.byte(at: 10) ?? 0)
        while let introducer = try file.byte(at: place) {
            switch introducer {
            case 0x21:
                let label = try file.byte(at: place + 1) ?? 0
                var stays = label == graphicControl
                if label == application {
                    for name in applications where try file.has(name, at: place + 3) {
                        stays = true
                    }
                }
                place = try passBlocks(file, place + 2, stay: stays)
            case 0x2C:
                let flags = try file.byte(at: place + 9) ?? 0
                place = try passBlocks(file, place + 11 + tableBytes(flags), stay: true)
            case 0x00: place += 1
            default:
                // The end, or what no reader understands.
                let rest = introducer == 0x3B ? place + 1 : place
                if rest < file.count { try file.fill(rest..<file.count) }
                return
            }
        }
    }

    private static func tableBytes(_ flags: Int) -> Int {
        flags & 0x80 == 0 ? 0 : 6 << (flags & 7)
    }

    /// - Returns: the offset after the empty block that ends a sequence of blocks.
    private static func passBlocks(
        _ file: FileBytes, _ start: Int, stay: Bool
    ) throws(Unsettled) -> Int {
        var place = start
        while let length = try file.byte(at: place) {
            if !stay, length > 0 { try file.fill(place + 1..<place + 1 + length) }
            place += 1 + length
            if length == 0 { return place }
        }
        return file.count
    }
}
