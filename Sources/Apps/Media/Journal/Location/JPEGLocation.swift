/// JPEG: the segments before the first scan, in each picture that the file lists.
///
/// - Source: ITU-T T.81, annex B; CIPA DC-007 (Multi-Picture Format); Adobe's XMP specification,
///   part 3, 1.1.3 (extended XMP).
struct JPEGLocation {
    private let file: StagedBytes
    private var pictures: [Int] = [0]
    private var segments = 0
    /// Pieces of an XMP packet that is too long for one segment.
    private var extended: [Range<Int>] = []

    private static let exif = Array("Exif\0".utf8)
    private static let xmp = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
    private static let extendedXMP = Array("http://ns.adobe.com/xmp/extension/\0".utf8)
    private static let multiPicture = Array("MPF\0".utf8)
    /// The bytes after the name: digest of the whole packet, its length, and the offset of this
    /// piece.
    private static let extendedHeader = 40
    private static let picturesMax = 64

    static func erase(from file: StagedBytes) throws(MediaStoreError) -> Bool {
        var jpeg = JPEGLocation(file: file)
        var index = 0
        while index < jpeg.pictures.count {
            try jpeg.walk(jpeg.pictures[index])
            index += 1
        }
        return jpeg.segments <= LocationEraser.blocksMax
    }

    private init(file: StagedBytes) { self.file = file }

    private mutating func walk(_ start: Int) throws(MediaStoreError) {
        guard try file.number(at: start, 2) == 0xFFD8 else { return }
        var place = start + 2
        while segments <= LocationEraser.blocksMax, let byte = try file.number(at: place, 1) {
            guard byte == 0xFF, let marker = try file.number(at: place + 1, 1) else { break }
            switch marker {
            case 0xFF: place += 1
            case 0x01, 0xD0...0xD7: place += 2
            case 0xD8, 0xD9, 0xDA: return try eraseExtended()
            default:
                guard let length = try file.number(at: place + 2, 2), length >= 2 else { return }
                segments += 1
                try take(marker, (place + 4)..<(place + 2 + length))
                place += 2 + length
            }
        }
        try eraseExtended()
    }

    private mutating func take(_ marker: Int, _ range: Range<Int>) throws(MediaStoreError) {
        // Other applications' segments may hold anything, so a segment is identified by its name,
        // not by its marker.
        guard (0xE0...0xEF).contains(marker) else { return }
        let head = try file.read(at: range.lowerBound, Self.extendedXMP.count)
        let range = range.clamped(to: 0..<file.count)
        if head.starts(with: Self.exif) {
            try LocationEraser.edit(file, range) { ExifLocation.eraseNamed(in: &$0) }
        } else if head.starts(with: Self.xmp) {
            try LocationEraser.edit(file, range.dropFirst(Self.xmp.count)) {
                XMPLocation.erase(in: &$0)
            }
        } else if head.starts(with: Self.extendedXMP) {
            extended.append(range.dropFirst(Self.extendedXMP.count + Self.extendedHeader))
        } else if head.starts(with: Self.multiPicture), pictures.count == 1 {
            try takePictures(range.lowerBound + Self.multiPicture.count)
        }
    }

    /// Edits all pieces as one text, in the order of the file, which is the order they are written
    /// in.
    private mutating func eraseExtended() throws(MediaStoreError) {
        defer { extended = [] }
        guard !extended.isEmpty else { return }
        guard extended.reduce(0, { $0 + $1.count }) <= LocationEraser.blockBytesMax else {
            for range in extended { try file.fill(range, with: UInt8(ascii: " ")) }
            return
        }
        var text: [UInt8] = []
        for range in extended { text += try file.read(at: range.lowerBound, range.count) }
        guard XMPLocation.erase(in: &text) else { return }
        var place = 0
        for range in extended {
            try file.overwrite(Array(text[place..<place + range.count]), at: range.lowerBound)
            place += range.count
        }
    }

    /// Reads the picture index: a TIFF directory whose entry B002 has 16 bytes for each picture.
    /// The third four bytes are the picture's offset from the start of the TIFF header.
    private mutating func takePictures(_ base: Int) throws(MediaStoreError) {
        let order = try file.number(at: base, 2)
        guard order == 0x4949 || order == 0x4D4D else { return }
        func number(_ offset: Int, _ width: Int) throws(MediaStoreError) -> Int? {
            let bytes = try file.read(at: base + offset, width)
            guard bytes.count == width else { return nil }
            return order == 0x4D4D
                ? bytes.reduce(0) { $0 << 8 | Int($1) }
                : bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
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
                pictures.append(base + offset)
            }
        }
    }
}

/// Removes the location from a file in place. Nothing moves, pixels and sound are not touched, and
/// the length stays the same.
///
/// | files | where it looks | what it leaves |
/// |---|---|---|
/// | JPEG, PNG, WebP | EXIF: the GPS directory | the directory's bytes zero, its entry gone |
/// | JPEG, PNG, WebP, GIF | XMP: properties named like `GPS…`, `latitude`, `longitude`, `geo:…` | spaces |
/// | PNG | XMP and EXIF that are compressed or in ImageMagick's text form | the chunk, empty |
/// | MP4, QuickTime, M4A | `©xyz`, `loci`, location keys and items, XMP | boxes `free`, blanks |
///
/// Further pictures of a JPEG (Multi-Picture Format) are walked like the first. Not examined: place
/// names in words, makers' private notes, the pictures and sound themselves, and bytes after a
/// file's end.
enum LocationEraser {
    /// The most bytes of one block of metadata that are examined. A larger block is erased whole,
    /// except in a GIF, where only this many bytes are examined.
    static let blockBytesMax = 16 << 20
    /// The most segments, chunks or boxes that are walked. No camera's file has as many.
    static let blocksMax = 100_000

    /// - Returns: false when the file has coordinates in a form that can't be removed here.
    static func erase(
        from file: StagedBytes, type: MediaType
    ) throws(MediaStoreError) -> Bool {
        switch type {
        case .jpeg: return try JPEGLocation.erase(from: file)
        case .png: return try PNGLocation.erase(from: file)
        case .webp: return try WebPLocation.erase(from: file)
        case .gif: return try GIFLocation.erase(from: file)
        case .mp4, .mov, .m4a: return try MovieLocation.erase(from: file)
        default: return true
        }
    }

    /// Erases in one block of the file.
    ///
    /// - Returns: whether something was changed.
    @discardableResult
    static func edit(
        _ file: StagedBytes, _ range: Range<Int>, _ erase: (inout [UInt8]) -> Bool
    ) throws(MediaStoreError) -> Bool {
        var block = try file.read(at: range.lowerBound, range.count)
        guard erase(&block) else { return false }
        try file.overwrite(block, at: range.lowerBound)
        return true
    }
}
