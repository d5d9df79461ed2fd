/// A file of a request that is durable in the store, but not yet linked to a record.
struct JournalUpload: Sendable {
    let id: String
    let object: StoredObject
    let type: MediaType
    let name: String
    let role: FileRole
    let facts: FileFacts
    /// When the object became durable; its grace time begins here.
    let finishedAt: ContinuousClock.Instant

    /// The path under which it is served.
    var path: MediaPath {
        guard let path = MediaPath("journal/\(id)") else { preconditionFailure("BUG: id \(id)") }
        return path
    }
}

/// Reads small pieces of a staged file through a window, which saves system calls on a walk over
/// headers, and overwrites bytes.
///
/// Beyond the end of the file pieces are shorter and numbers are nil.
final class StagedBytes {
    private let file: StagedMedia
    private var window: [UInt8] = []
    private var windowStart = 0

    private static let windowBytes = 4 << 10

    init(_ file: StagedMedia) { self.file = file }

    var count: Int { file.bytes }

    func read(at offset: Int, _ count: Int) throws(MediaStoreError) -> [UInt8] {
        guard offset >= 0, offset < self.count, count > 0 else { return [] }
        if offset < windowStart || offset + count > windowStart + window.count {
            guard count < Self.windowBytes else { return try file.read(at: offset, count) }
            window = try file.read(at: offset, Self.windowBytes)
            windowStart = offset
        }
        let start = offset - windowStart
        return Array(window[start..<min(start + count, window.count)])
    }

    /// Big-endian, of 1 to 7 bytes.
    func number(at offset: Int, _ width: Int) throws(MediaStoreError) -> Int? {
        let bytes = try read(at: offset, width)
        guard bytes.count == width else { return nil }
        return bytes.reduce(0) { $0 << 8 | Int($1) }
    }

    func text(at offset: Int, _ count: Int) throws(MediaStoreError) -> String {
        // Names of boxes and chunks are bytes, not characters.
        String(try read(at: offset, count).map { Character(Unicode.Scalar($0)) })
    }

    func overwrite(_ bytes: [UInt8], at offset: Int) throws(MediaStoreError) {
        try file.overwrite(bytes, at: offset)
        window = []
    }

    /// Fills a range, up to the end of the file.
    func fill(_ range: Range<Int>, with byte: UInt8) throws(MediaStoreError) {
        var place = range.lowerBound
        let end = min(range.upperBound, count)
        while place < end {
            let piece = min(64 << 10, end - place)
            try overwrite([UInt8](repeating: byte, count: piece), at: place)
            place += piece
        }
    }
}
