/// The chunks of a RIFF file: WebP, WAV.
///
/// - Source: RFC 9649, 2.3; EBU Tech 3306 (RF64).
struct RIFFChunks {
    let file: FileBytes
    private(set) var place = 12
    /// Recorders that were cut off leave zero or all ones as lengths.
    private let isUnfinished: Bool
    /// In RF64, the length of the chunk `data`.
    private var dataBytes: Int?
    /// Where the list of chunks ends.
    let end: Int

    struct Chunk {
        let name: String
        /// Up to the end of the file, if it says more.
        let data: Range<Int>
    }

    init(_ file: FileBytes) throws(Unsettled) {
        self.file = file
        let stated = try file.number(at: 4, 4, isLittleEndian: true) ?? 0
        isUnfinished = stated == 0 || stated == 0xFFFF_FFFF
        end = isUnfinished ? file.count : min(file.count, 8 + stated)
    }

    mutating func next() throws(Unsettled) -> Chunk? {
        guard place + 8 <= end,
            var length = try file.number(at: place + 4, 4, isLittleEndian: true)
        else { return nil }
        let name = try file.name(at: place)
        let start = place + 8
        if name == "ds64" {
            dataBytes = try file.number(at: start + 8, 7, isLittleEndian: true)
        } else if name == "data", isUnfinished, length == 0 || length == 0xFFFF_FFFF {
            length = dataBytes ?? end - start
        }
        length = min(length, max(0, end - start))
        // Chunks begin at even offsets.
        place = start + length + length % 2
        return Chunk(name: name, data: start..<start + length)
    }

    /// Blanks what follows the chunks.
    func eraseRest() throws(Unsettled) {
        let rest = min(place, end)
        if rest < file.count { try file.fill(rest..<file.count) }
    }
}
