/// One allocation for the tuples of all kinds of a small batch: three allocations would cost more
/// than three readings.
///
/// The buffers made from it don't own their memory: it must live as long as they do.
struct TupleSlab: ~Copyable {
    /// A batch with more bytes of tuples takes the scanner's buffers instead of copies.
    static let bytesMax = 16 * 1024

    private let storage: UnsafeMutableRawPointer?
    private let byteCount: Int
    private var used = 0

    /// Allocates that many bytes; nothing for 0.
    init(byteCount: Int = 0) {
        precondition(byteCount >= 0, "BUG: byteCount=\(byteCount)")
        storage = byteCount > 0 ? .allocate(byteCount: byteCount, alignment: 8) : nil
        self.byteCount = byteCount
    }

    deinit {
        storage?.deallocate()
    }

    /// Copies bytes behind the last copy; returns nil when there are none.
    mutating func takeCopy(of bytes: UnsafeRawBufferPointer) -> UnsafeMutableRawPointer? {
        guard let source = bytes.baseAddress, bytes.count > 0, let storage else { return nil }
        precondition(bytes.count <= byteCount - used, "BUG: bytes=\(bytes.count) used=\(used)")
        let place = storage + used
        place.copyMemory(from: source, byteCount: bytes.count)
        used += bytes.count
        return place
    }
}
