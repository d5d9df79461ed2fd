import CZlib

/// PNG: the chunks up to `IEND`. The checksum of a changed chunk is computed again.
///
/// - Source: W3C PNG (third edition), 5 and 11.3.
enum PNGLocation {
    /// Chunks beside the critical ones that change how the picture looks, and its time.
    private static let kept: Set<String> = [
        "acTL", "bKGD", "cHRM", "cICP", "cLLI", "fcTL", "fdAT", "gAMA", "hIST", "iCCP", "mDCV",
        "oFFs", "pHYs", "sBIT", "sPLT", "sRGB", "sTER", "tIME", "tRNS",
    ]

    static func erase(from file: FileBytes) throws(Unsettled) {
        var place = 8
        while let length = try file.number(at: place, 4) {
            let name = try file.name(at: place + 4)
            let data = place + 8..<place + 8 + length
            // A critical chunk's name begins with a capital.
            let isNeeded = name.utf8.first.map { $0 & 0x20 == 0 } ?? false || kept.contains(name)
            guard data.upperBound + 4 <= file.count else {
                // The picture may have been cut.
                if !isNeeded { try file.fill(place..<file.count) }
                return
            }
            place = data.upperBound + 4
            if name == "IEND" { break }
            if isNeeded { continue }
            if name == "eXIf" {
                try ExifLocation.erase(from: file, data)
            } else {
                if name == "iTXt", try isPlainXMP(file, data),
                    XMPLocation.mayStay(try file.read(data))
                {
                    continue
                }
                // An ancillary, private, safe-to-copy chunk type that every reader skips.
                try file.overwrite(Array("voId".utf8), at: data.lowerBound - 4)
                try file.fill(data)
            }
            try sign(file, data)
        }
        if place < file.count { try file.fill(place..<file.count) }
    }

    private static func isPlainXMP(
        _ file: FileBytes, _ data: Range<Int>
    ) throws(Unsettled) -> Bool {
        // The next byte says whether it is compressed.
        try file.has("XML:com.adobe.xmp\0\0", at: data.lowerBound)
    }

    private static func sign(_ file: FileBytes, _ data: Range<Int>) throws(Unsettled) {
        let sum = try file.withBytes(data.lowerBound - 4..<data.upperBound) { bytes, count in
            crc32(crc32(0, nil, 0), bytes, UInt32(count))
        }
        let bytes = withUnsafeBytes(of: UInt32(sum).bigEndian) { Array($0) }
        try file.overwrite(bytes, at: data.upperBound)
    }
}
