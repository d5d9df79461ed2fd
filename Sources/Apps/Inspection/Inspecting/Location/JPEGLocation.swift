/// JPEG: the segments of each picture up to its end. Other applications' segments are blanked,
/// except those that a picture needs to be shown.
///
/// - Source: ITU-T T.81, annex B; CIPA DC-007 (Multi-Picture Format); ISO 21496-1 (gain maps).
struct JPEGLocation {
    private let file: FileBytes
    private let limits: Range<Int>
    /// Where the pictures begin that are still to be walked.
    private var listed: [Int] = []
    private var isListRead = false

    private static let picturesMax = 64

    /// - Parameter range: where the first picture begins, and no picture reaches beyond. What is in
    ///   it after the first picture and in no listed one is blanked.
    static func erase(from file: FileBytes, _ range: Range<Int>) throws(Unsettled) {
        try file.nested { () throws(Unsettled) in
            var jpeg = JPEGLocation(file: file, limits: range)
            var pictures = [range.lowerBound..<(try jpeg.walk(range.lowerBound))]
            for start in jpeg.listed where range.contains(start) {
                guard try file.number(at: start, 2) == 0xFFD8 else { continue }
                pictures.append(start..<(try jpeg.walk(start)))
            }
            var place = range.lowerBound
            for picture in pictures.sorted(by: { $0.lowerBound < $1.lowerBound }) {
                if place < picture.lowerBound { try file.fill(place..<picture.lowerBound) }
                place = max(place, picture.upperBound)
            }
            if place < range.upperBound { try file.fill(place..<range.upperBound) }
        }
    }

    private init(file: FileBytes, limits: Range<Int>) {
        self.file = file
        self.limits = limits
    }

    /// - Returns: the end of the picture.
    private mutating func walk(_ start: Int) throws(Unsettled) -> Int {
        guard try file.number(at: start, 2) == 0xFFD8 else { throw .notRemovable }
        var place = start + 2
        var isInScan = false
        while place < limits.upperBound {
            let next = try file.find(0xFF, in: place..<limits.upperBound) ?? limits.upperBound
            // Between segments there is nothing to show.
            if next > place, !isInScan { try file.fill(place..<next) }
            guard next + 1 < limits.upperBound, let marker = try file.byte(at: next + 1) else {
                break
            }
            switch marker {
            case 0xFF: place = next + 1
            case 0x00, 0x01, 0xD0...0xD8: place = next + 2
            case 0xD9: return next + 2
            default:
                guard let length = try file.number(at: next + 2, 2) else {
                    return limits.upperBound
                }
                guard length >= 2 else { throw .notRemovable }
                let end = min(next + 2 + length, limits.upperBound)
                try take(marker, min(next + 4, end)..<end)
                isInScan = marker == 0xDA
                place = end
            }
        }
        return limits.upperBound
    }

    private mutating func take(_ marker: Int, _ range: Range<Int>) throws(Unsettled) {
        let place = range.lowerBound
        switch marker {
        case 0xE0 where try file.has("JFIF\0", at: place): break
        case 0xE1 where try file.has("Exif\0", at: place):
            try ExifLocation.erase(from: file, range)
        case 0xE1 where try file.has("http://ns.adobe.com/xap/1.0/\0", at: place):
            if XMPLocation.mayStay(try file.read(range)) { break }
            try file.fill(range)
        case 0xE2 where try file.has("ICC_PROFILE\0", at: place): break
        case 0xE2 where try file.has("urn:iso:std:iso:ts:21496:-1\0", at: place): break
        case 0xE2 where try file.has("MPF\0", at: place): try takePictures(place + 4)
        case 0xEE where try file.has("Adobe", at: place): break
        case 0xE0...0xEF, 0xFE: try file.fill(range)
        default: break
        }
    }

    /// Reads the picture index: a TIFF directory whose entry B002 has 16 bytes for each picture.
    /// The third four bytes are the picture's offset from the start of the TIFF header.
    private mutating func takePictures(_ base: Int) throws(Unsettled) {
        guard !isListRead else { return }
        isListRead = true
        let order = try file.number(at: base, 2)
        guard order == 0x4949 || order == 0x4D4D else { return }
        let isLittleEndian = order == 0x4949
        func number(_ offset: Int, _ width: Int) throws(Unsettled) -> Int? {
            try file.number(at: base + offset, width, isLittleEndian: isLittleEndian)
        }
        guard let start = try number(4, 4), let entries = try number(start, 2) else { return }
        for index in 0..<min(entries, 16) {
            let entry = start + 2 + 12 * index
            guard try number(entry, 2) == 0xB002, let bytes = try number(entry + 4, 4),
                let list = try number(entry + 8, 4)
            else { continue }
            for picture in 0..<min(bytes / 16, Self.picturesMax) {
                // The first picture is the one that contains the index; its offset is 0.
                guard let offset = try number(list + 16 * picture + 8, 4), offset > 0 else {
                    continue
                }
                listed.append(base + offset)
            }
        }
    }
}
