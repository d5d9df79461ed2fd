import CLZ4

/// The buffer for decompressed bytes; one per event loop.
final class DecompressionScratch {
    let bytes: UnsafeMutableRawBufferPointer

    init(byteCount: Int = 64 * 1024) {
        precondition(byteCount > 0, "BUG: byteCount=\(byteCount)")
        bytes = .allocate(byteCount: byteCount, alignment: 16)
    }

    deinit {
        bytes.deallocate()
    }
}
