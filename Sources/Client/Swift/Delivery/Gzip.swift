import Foundation

#if canImport(CZlib)
import CZlib
#endif

/// The gzip format.
///
/// - Source: RFC 1952.
enum Gzip {
    private static let head = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF])

    /// Nil if this system can't compress.
    static func compress(_ data: Data) -> Data? {
        guard let deflated = deflate(data) else { return nil }
        let ends = [Checksum.of(data), UInt32(truncatingIfNeeded: data.count)]
        return ends.reduce(head + deflated) { bytes, end in
            bytes + (0..<4).map { UInt8(truncatingIfNeeded: end >> (8 * UInt32($0))) }
        }
    }

    /// Without head and end: RFC 1951.
    private static func deflate(_ data: Data) -> Data? {
        #if canImport(CZlib)
        var stream = z_stream()
        let status = deflateInit2_(
            &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else { return nil }
        defer { deflateEnd(&stream) }
        var input = [UInt8](data)
        var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(input.count))))
        let isWhole = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                (stream.next_in, stream.avail_in) = (input.baseAddress, UInt32(input.count))
                (stream.next_out, stream.avail_out) = (output.baseAddress, UInt32(output.count))
                return CZlib.deflate(&stream, Z_FINISH) == Z_STREAM_END
            }
        }
        return isWhole ? Data(output.prefix(output.count - Int(stream.avail_out))) : nil
        #elseif canImport(Darwin)
        // Apple calls the bare format of RFC 1951 zlib.
        return (try? (data as NSData).compressed(using: .zlib)).map { $0 as Data }
        #else
        return nil
        #endif
    }
}
