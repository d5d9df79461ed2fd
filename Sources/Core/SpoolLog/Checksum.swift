internal import CZlib

/// CRC-32, as in zlib, gzip and PNG.
enum Checksum {
    static func of(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        guard let start = bytes.bindMemory(to: UInt8.self).baseAddress else { return 0 }
        return UInt32(truncatingIfNeeded: crc32_z(0, start, bytes.count))
    }
}
