/// MP4, M4A and QuickTime: boxes that hold a place become `free` boxes of zeros, and items under a
/// location key lose their key and value.
///
/// A track that records places over time (GoPro's, Google's, Sony's, or timed metadata with a
/// location key) is part of the film's data. It can't be removed here, so such a file is rejected.
///
/// - Source: ISO/IEC 14496-12, 4.2, 8.10 and 8.11; Apple's QuickTime File Format, "User Data Atoms"
///   and "Metadata"; 3GPP TS 26.244, 8.8 (`loci`).
struct MovieLocation {
    private struct Box {
        let name: String
        /// Including the header.
        let whole: Range<Int>
        let content: Range<Int>
    }

    private let file: StagedBytes
    private var boxes = 0
    private var isSettled = true

    private static let depthMax = 10
    /// Boxes that contain boxes, on the path to those that hold a place.
    private static let containers: Set<String> = [
        "moov", "trak", "udta", "mdia", "minf", "stbl", "moof", "traf", "edts",
    ]
    /// Sample descriptions of tracks that record places.
    private static let placeTracks: Set<String> = ["gpmd", "camm", "rtmd"]
    /// The `uuid` of an XMP packet.
    private static let xmp: [UInt8] = [
        0xBE, 0x7A, 0xCF, 0xCB, 0x97, 0xA9, 0x42, 0xE8, 0x9C, 0x71, 0x99, 0x94, 0x91, 0xE3, 0xAF,
        0xAC,
    ]

    static func erase(from file: StagedBytes) throws(MediaStoreError) -> Bool {
        var movie = MovieLocation(file: file)
        try movie.walk(0..<file.count, depth: 0)
        return movie.isSettled && movie.boxes <= LocationEraser.blocksMax
    }

    private init(file: StagedBytes) { self.file = file }

    private mutating func walk(_ range: Range<Int>, depth: Int) throws(MediaStoreError) {
        guard depth <= Self.depthMax else {
            isSettled = false
            return
        }
        for box in try children(range) { try take(box, depth: depth) }
    }

    private mutating func take(_ box: Box, depth: Int) throws(MediaStoreError) {
        switch box.name {
        case "©xyz", "loci":
            try free(box)
        case "XMP_":
            try eraseXMP(box.content)
        case "uuid":
            if try file.read(at: box.content.lowerBound, 16) == Self.xmp {
                try eraseXMP(box.content.dropFirst(16))
            }
        case "meta":
            try takeMetadata(box, depth: depth)
        case "stsd":
            try takeSampleDescriptions(box)
        case "cmov":
            // A compressed movie header. No current software writes one.
            isSettled = false
        case let name where Self.containers.contains(name):
            try walk(box.content, depth: depth + 1)
        default: break
        }
    }

    /// In MP4, `meta` has a version before its boxes; in QuickTime it has none.
    private mutating func takeMetadata(_ box: Box, depth: Int) throws(MediaStoreError) {
        let isQuickTime = try file.text(at: box.content.lowerBound + 4, 4) == "hdlr"
        let inside = try children(box.content.dropFirst(isQuickTime ? 0 : 4))
        var erasedKeys: Set<Int> = []
        for keys in inside where keys.name == "keys" {
            erasedKeys.formUnion(try eraseKeys(keys.content))
        }
        for child in inside {
            switch child.name {
            case "ilst":
                for item in try children(child.content) { try takeItem(item, erasedKeys) }
            case "xml ": try eraseXMP(child.content.dropFirst(4))
            default: try take(child, depth: depth + 1)
            }
        }
    }

    /// Overwrites the names of keys that name a place with hyphens.
    ///
    /// - Returns: the numbers of those keys, counted from 1.
    private mutating func eraseKeys(_ content: Range<Int>) throws(MediaStoreError) -> Set<Int> {
        var erased: Set<Int> = []
        for (index, key) in try children(content.dropFirst(8)).enumerated() {
            let bytes = min(key.content.count, 1024)
            let name = try file.read(at: key.content.lowerBound, bytes)
            guard Self.namesPlace(name) else { continue }
            try file.fill(key.content, with: UInt8(ascii: "-"))
            erased.insert(index + 1)
        }
        return erased
    }

    private mutating func takeItem(_ item: Box, _ erasedKeys: Set<Int>) throws(MediaStoreError) {
        let number = try file.number(at: item.whole.lowerBound + 4, 4) ?? 0
        if erasedKeys.contains(number) {
            for value in try children(item.content) where value.name == "data" {
                // The value's type and language stay.
                try file.fill(value.content.dropFirst(8), with: UInt8(ascii: " "))
            }
        } else if item.name == "©xyz" {
            try free(item)
        } else if item.name == "----" {
            let head = try file.read(at: item.content.lowerBound, min(item.content.count, 1024))
            if Self.namesPlace(head) { try free(item) }
        }
    }

    private mutating func takeSampleDescriptions(_ box: Box) throws(MediaStoreError) {
        for description in try children(box.content.dropFirst(8)) {
            if Self.placeTracks.contains(description.name) { isSettled = false }
            guard description.name == "mebx" else { continue }
            let bytes = try file.read(
                at: description.content.lowerBound,
                min(description.content.count, LocationEraser.blockBytesMax))
            if Self.namesPlace(bytes) { isSettled = false }
        }
    }

    private static func namesPlace(_ bytes: [UInt8]) -> Bool {
        XMPLocation.mentionsPlace(bytes)
            || String(decoding: bytes, as: UTF8.self).lowercased().contains("location")
    }

    private func eraseXMP(_ range: Range<Int>) throws(MediaStoreError) {
        let range = range.clamped(to: 0..<file.count)
        guard range.count <= LocationEraser.blockBytesMax else {
            return try file.fill(range, with: UInt8(ascii: " "))
        }
        try LocationEraser.edit(file, range) { XMPLocation.erase(in: &$0) }
    }

    private func free(_ box: Box) throws(MediaStoreError) {
        try file.overwrite(Array("free".utf8), at: box.whole.lowerBound + 4)
        try file.fill(box.content, with: 0)
    }

    /// The boxes of a range, up to the first that is incomplete.
    private mutating func children(_ range: Range<Int>) throws(MediaStoreError) -> [Box] {
        var children: [Box] = []
        var place = range.lowerBound
        while place + 8 <= range.upperBound, boxes <= LocationEraser.blocksMax {
            guard var length = try file.number(at: place, 4) else { break }
            var header = 8
            if length == 1 {
                // No file is so long that a length needs more than 7 bytes.
                guard try file.number(at: place + 8, 1) == 0,
                    let long = try file.number(at: place + 9, 7)
                else { break }
                (length, header) = (long, 16)
            } else if length == 0 {
                length = range.upperBound - place
            }
            guard length >= header, length <= range.upperBound - place else { break }
            boxes += 1
            children.append(
                Box(
                    name: try file.text(at: place + 4, 4), whole: place..<(place + length),
                    content: (place + header)..<(place + length)))
            place += length
        }
        return children
    }
}
