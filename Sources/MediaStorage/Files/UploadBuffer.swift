/// Gathers an upload's pieces until there is enough for one write, and keeps its first bytes.
struct UploadBuffer {
    private(set) var bytes: [UInt8] = []
    private(set) var beginning: [UInt8] = []

    var isFull: Bool { bytes.count == MediaStorage.uploadBytesMax }

    /// Copies as much as there is room for.
    ///
    /// - Returns: how much.
    mutating func take(_ piece: RawSpan) -> Int {
        let count = min(piece.byteCount, MediaStorage.uploadBytesMax - bytes.count)
        piece.extracting(first: count).withUnsafeBytes { piece in
            bytes.append(contentsOf: piece)
            if beginning.count < MediaType.contentBytesMax {
                beginning.append(
                    contentsOf: piece.prefix(MediaType.contentBytesMax - beginning.count))
            }
        }
        return count
    }

    mutating func empty() { bytes.removeAll(keepingCapacity: true) }

    mutating func release() { bytes = [] }
}
