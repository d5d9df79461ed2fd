/// One allocation for the tuples of all kinds of a small batch: three of them would cost more than
/// three readings do.
///
/// Its buffers are on loan; it must live as long as they do.
struct TupleSlab: ~Copyable {
    /// A batch with more bytes of tuples hands over the scanner's own buffers instead of copies.
    static let bytesMax = 16 * 1024

    private let storage: UnsafeMutableRawPointer?
    private let byteCount: Int
    private var used = 0

    /// Room for that many bytes; none at all allocates nothing.
    init(byteCount: Int = 0) {
        precondition(byteCount >= 0, "BUG: byteCount=\(byteCount)")
        storage = byteCount > 0 ? .allocate(byteCount: byteCount, alignment: 8) : nil
        self.byteCount = byteCount
    }

    deinit {
        storage?.deallocate()
    }

    /// Copies bytes behind the last ones; nil when there are none.
    mutating func takeCopy(of bytes: UnsafeRawBufferPointer) -> UnsafeMutableRawPointer? {
        guard let source = bytes.baseAddress, bytes.count > 0, let storage else { return nil }
        precondition(bytes.count <= byteCount - used, "BUG: bytes=\(bytes.count) used=\(used)")
        let place = storage + used
        place.copyMemory(from: source, byteCount: bytes.count)
        used += bytes.count
        return place
    }
}
