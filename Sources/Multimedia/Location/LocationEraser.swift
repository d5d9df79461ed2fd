import MediaStorage

/// Takes out of a file where it was made, in place: nothing moves, pixels and sound are not touched,
/// and the file is as long as before.
///
/// | files | where it looks | what it leaves |
/// |---|---|---|
/// | JPEG, PNG, WebP | EXIF: the GPS directory | the directory's bytes zero, its entry gone |
/// | JPEG, PNG, WebP, GIF | XMP: properties named like `GPS…`, `latitude`, `longitude`, `geo:…` | spaces |
/// | PNG | XMP and EXIF that are compressed or in ImageMagick's text form | the chunk, empty |
/// | MP4, QuickTime, M4A | `©xyz`, `loci`, location keys and items, XMP | boxes `free`, blanks |
///
/// A JPEG's further pictures (Multi-Picture Format) are walked like the first. Not looked at: names
/// of places in words, makers' private notes, what is to be seen or heard, and what follows a file's
/// end.
enum LocationEraser {
    /// Bytes of one block of metadata that are looked at; a larger one is emptied.
    static let blockBytesMax = 16 << 20
    /// Segments, chunks or boxes that are walked over; no file of a camera has as many.
    static let blocksMax = 100_000

    /// - Returns: false when the file has coordinates in a form that can't be taken out here.
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
