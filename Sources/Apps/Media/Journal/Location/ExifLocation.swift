/// EXIF: a TIFF file without pictures.
///
/// Offsets and counts are untrusted. Each is checked against the block before it is used, and
/// incomplete directories are left alone.
///
/// - Source: TIFF 6.0, section 2; CIPA DC-008 (Exif), 4.6.3 and 4.6.6.
struct ExifLocation {
    private var block: [UInt8]
    private let isBigEndian: Bool
    private var isChanged = false

    private static let gpsDirectory = 0x8825
    private static let xmp = 0x02BC
    /// Tags that point to other directories: Exif, SubIFDs.
    private static let directories = [0x8769, 0x014A]
    private static let directoriesMax = 32

    /// - Parameter block: starts at the byte order mark.
    /// - Returns: whether something was changed.
    static func erase(in block: inout [UInt8]) -> Bool {
        guard var exif = ExifLocation(block) else { return false }
        exif.erase()
        if exif.isChanged { block = exif.block }
        return exif.isChanged
    }

    /// The same for a block that may begin with `Exif` and two more bytes.
    static func eraseNamed(in block: inout [UInt8]) -> Bool {
        guard block.starts(with: Array("Exif\0".utf8)), block.count > 6 else {
            return erase(in: &block)
        }
        var rest = Array(block[6...])
        guard erase(in: &rest) else { return false }
        block.replaceSubrange(6..., with: rest)
        return true
    }

    private init?(_ block: [UInt8]) {
        switch block.prefix(2) {
        case [0x49, 0x49]: isBigEndian = false
        case [0x4D, 0x4D]: isBigEndian = true
        default: return nil
        }
        self.block = block
    }

    private mutating func erase() {
        guard let first = number(4, 4) else { return }
        var waiting = [first]
        var seen: Set<Int> = []
        while let start = waiting.popLast(), seen.count < Self.directoriesMax {
            guard start >= 8, seen.insert(start).inserted else { continue }
            waiting.append(contentsOf: erase(directory: start))
        }
    }

    /// - Returns: the offsets of the directories that this one points to.
    private mutating func erase(directory start: Int) -> [Int] {
        guard var entries = number(start, 2), start + 2 + 12 * entries <= block.count else {
            return []
        }
        var others: [Int] = []
        var index = 0
        while index < entries {
            let entry = start + 2 + 12 * index
            let tag = number(entry, 2) ?? 0
            if tag == Self.gpsDirectory {
                if let gps = number(entry + 8, 4) { clear(directory: gps) }
                remove(entry: entry, upTo: start + 2 + 12 * entries)
                entries -= 1
                put(entries, start)
                continue
            }
            if tag == Self.xmp, let range = value(entry), range.upperBound <= block.count {
                var text = Array(block[range])
                if XMPLocation.erase(in: &text) {
                    block.replaceSubrange(range, with: text)
                    isChanged = true
                }
            }
            if Self.directories.contains(tag), let range = value(entry) {
                for place in stride(from: range.lowerBound, to: range.upperBound, by: 4).prefix(16)
                {
                    if let other = number(place, 4) { others.append(other) }
                }
            }
            index += 1
        }
        if let next = number(start + 2 + 12 * entries, 4), next != 0 { others.append(next) }
        return others
    }

    /// Sets a directory's entries and their values to zero.
    private mutating func clear(directory start: Int) {
        isChanged = true
        guard start >= 8, let entries = number(start, 2) else { return }
        for index in 0..<entries {
            let entry = start + 2 + 12 * index
            guard entry + 12 <= block.count else { break }
            if let range = value(entry) { zero(range) }
        }
        zero(start..<(start + 2 + 12 * entries))
    }

    /// Removes an entry. The entries after it and the offset of the next directory move up.
    private mutating func remove(entry: Int, upTo end: Int) {
        isChanged = true
        let tail = min(end + 4, block.count)
        let moved = Array(block[(entry + 12)..<tail])
        block.replaceSubrange(entry..<(tail - 12), with: moved)
        zero((tail - 12)..<tail)
    }

    /// The range of an entry's value. A value of up to four bytes is in the entry itself.
    private func value(_ entry: Int) -> Range<Int>? {
        let sizes = [
            1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4,
        ]
        guard let type = number(entry + 2, 2), let size = sizes[type],
            let count = number(entry + 4, 4)
        else { return nil }
        let bytes = size * count
        if bytes <= 4 { return (entry + 8)..<(entry + 8 + bytes) }
        guard let start = number(entry + 8, 4), start >= 8 else { return nil }
        return start..<(start + bytes)
    }

    private mutating func zero(_ range: Range<Int>) {
        let range = range.clamped(to: 0..<block.count)
        block.replaceSubrange(range, with: repeatElement(0, count: range.count))
    }

    private func number(_ offset: Int, _ width: Int) -> Int? {
        guard offset >= 0, offset + width <= block.count else { return nil }
        let bytes = block[offset..<offset + width]
        return isBigEndian
            ? bytes.reduce(0) { $0 << 8 | Int($1) }
            : bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    private mutating func put(_ number: Int, _ offset: Int) {
        let bytes = [UInt8(number >> 8 & 255), UInt8(number & 255)]
        block.replaceSubrange(offset..<offset + 2, with: isBigEndian ? bytes : bytes.reversed())
    }
}
