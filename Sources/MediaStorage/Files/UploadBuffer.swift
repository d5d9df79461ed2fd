/// Gathers an upload's pieces until there is enough for one write.
///
/// `@unchecked Sendable`: its upload fills it or lends it to one disk thread, and waits before it
/// fills it again.
final class UploadBuffer: @unchecked Sendable {
    private(set) var bytes: [UInt8] = []

    /// Two buffers are all that an upload has.
    private static let bytesMax = MediaStorage.uploadBytesMax / 2

    var isFull: Bool { bytes.count == Self.bytesMax }

    /// Copies as much as there is room for.
    ///
    /// - Returns: how much.
    func take(_ piece: RawSpan) -> Int {
        let count = min(piece.byteCount, Self.bytesMax - bytes.count)
        piece.extracting(first: count).withUnsafeBytes { bytes.append(contentsOf: $0) }
        return count
    }

    func empty() { bytes.removeAll(keepingCapacity: true) }
}
