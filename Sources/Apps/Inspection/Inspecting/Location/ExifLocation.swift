/// EXIF: a TIFF file without pictures, except a small one.
///
/// Entries that are known to name no place stay, with their values. Other entries are removed: the
/// GPS directory, makers' notes, comments, unknown ones. In the end every byte of the block is zero
/// that no entry refers to.
///
/// - Source: TIFF 6.0, section 2; CIPA DC-008 (Exif), 4.6.
struct ExifLocation {
    private let file: FileBytes
    /// The block, from its byte order mark.
    private let block: Range<Int>
    private let isLittleEndian: Bool
    private var kept: [Range<Int>] = []
    /// Offsets of directories.
    private var waiting: [Int] = []
    private var seen: Set<Int> = []

    private static let directoriesMax = 16
    private static let exif = 0x8769
    private static let interoperability = 0xA005
    private static let (thumbnail, thumbnailBytes) = (0x0201, 0x0202)
    /// Sizes of the types, from 1 up.
    private static let sizes = [1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4]

    private static func mayStay(_ tag: Int) -> Bool {
        switch tag {
        // Interoperability: index, version, size.
        case 0x0001, 0x0002, 0x1000...0x1002: true
        // Size, form and orientation; maker, model, software, time; artist, copyright.
        case 0x00FE...0x0107, 0x010F, 0x0110, 0x0112, 0x0115...0x011C, 0x0128, 0x012D, 0x0131,
            0x0132, 0x013B, 0x013E, 0x013F, thumbnail, thumbnailBytes, 0x0211...0x0214, 0x8298:
            true
        // Exposure, times, and the other settings of the camera and its lens.
        case exif, 0x829A, 0x829D, 0x8822, 0x8824, 0x8827, 0x8830...0x8835, 0x9000...0x9012,
            0x9101...0x920A, 0x9214, 0x9290...0x9292, 0xA000...0xA003, interoperability,
            0xA20B...0xA40C, 0xA420, 0xA430...0xA437, 0xA460...0xA462, 0xA500:
            true
        default: false
        }
    }

    /// - Parameter range: begins at the byte order mark, or with `Exif` and two more bytes.
    static func erase(from file: FileBytes, _ range: Range<Int>) throws(Unsettled) {
        let isNamed = try file.has("Exif\0", at: range.lowerBound)
        let block = range.clamped(to: 0..<file.count).dropFirst(isNamed ? 6 : 0)
        switch try file.number(at: block.lowerBound, 2) {
        case 0x4949 where block.count >= 8:
            var exif = ExifLocation(file: file, block: block, isLittleEndian: true)
            try exif.erase()
        case 0x4D4D where block.count >= 8:
            var exif = ExifLocation(file: file, block: block, isLittleEndian: false)
            try exif.erase()
        default: try file.fill(block)
        }
    }

    private init(file: FileBytes, block: Range<Int>, isLittleEndian: Bool) {
        self.file = file
        self.block = block
        self.isLittleEndian = isLittleEndian
    }

    private mutating func erase() throws(Unsettled) {
        keep(0..<8)
        if let first = try number(4, 4) { waiting.append(first) }
        while let start = waiting.popLast() {
            guard start >= 8, start + 2 <= block.count, seen.insert(start).inserted else {
                continue
            }
            guard seen.count <= Self.directoriesMax else { throw .notRemovable }
            try take(directory: start)
        }
        var place = block.lowerBound
        for range in kept.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if place < range.lowerBound { try file.fill(place..<range.lowerBound) }
            place = max(place, range.upperBound)
        }
        if place < block.upperBound { try file.fill(place..<block.upperBound) }
    }

    /// Moves the entries that stay to the front.
    private mutating func take(directory start: Int) throws(Unsettled) {
        let stated = try number(start, 2) ?? 0
        let entries = min(stated, (block.count - start - 2) / 12)
        let next = entries == stated ? try number(start + 2 + 12 * entries, 4) : nil
        var stay: [UInt8] = []
        var small: (offset: Int, bytes: Int) = (0, 0)
        for index in 0..<entries {
            let entry = start + 2 + 12 * index
            guard let tag = try number(entry, 2), Self.mayStay(tag) else { continue }
            if let range = try value(entry) { keep(range) }
            if tag == Self.exif || tag == Self.interoperability,
                let other = try number(entry + 8, 4)
            {
                waiting.append(other)
            }
            if tag == Self.thumbnail { small.offset = try number(entry + 8, 4) ?? 0 }
            if tag == Self.thumbnailBytes { small.bytes = try number(entry + 8, 4) ?? 0 }
            stay += try file.read(absolute(entry..<entry + 12))
        }
        if small.offset >= 8, small.bytes > 0 {
            let range = absolute(small.offset..<small.offset + small.bytes)
            // A picture has metadata of its own.
            if try file.number(at: range.lowerBound, 2) == 0xFFD8 {
                try JPEGLocation.erase(from: file, range)
                keep(small.offset..<small.offset + small.bytes)
            }
        }
        let count = stay.count / 12
        try file.overwrite(bytes(count, 2) + stay, at: block.lowerBound + start)
        keep(start..<start + 2 + stay.count)
        guard let next else { return }
        // It may be where an entry was.
        let end = start + 2 + stay.count
        try file.overwrite(bytes(next, 4), at: block.lowerBound + end)
        keep(end..<end + 4)
        waiting.append(next)
    }

    /// The range of a value that is not in the entry itself.
    private func value(_ entry: Int) throws(Unsettled) -> Range<Int>? {
        guard let type = try number(entry + 2, 2), Self.sizes.indices.contains(type - 1),
            let count = try number(entry + 4, 4)
        else { return nil }
        let bytes = Self.sizes[type - 1] * count
        guard bytes > 4, let start = try number(entry + 8, 4), start >= 8 else { return nil }
        return start..<start + bytes
    }

    private mutating func keep(_ range: Range<Int>) {
        let range = absolute(range)
        if !range.isEmpty { kept.append(range) }
    }

    private func absolute(_ range: Range<Int>) -> Range<Int> {
        (block.lowerBound + range.lowerBound..<block.lowerBound + range.upperBound)
            .clamped(to: block)
    }

    private func number(_ offset: Int, _ width: Int) throws(Unsettled) -> Int? {
        guard offset + width <= block.count else { return nil }
        return try file.number(
            at: block.lowerBound + offset, width, isLittleEndian: isLittleEndian)
    }

    private func bytes(_ number: Int, _ width: Int) -> [UInt8] {
        let bytes = (0..<width).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        return isLittleEndian ? bytes : bytes.reversed()
    }
}
