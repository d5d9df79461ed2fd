import CLZ4
import CZlib
import CZstd

/// An encoding that a client applies to a body before it sends the body.
enum Compression: String, CaseIterable {
    case gzip, deflate, lz4, zstd

    func callAsFunction(_ bytes: [UInt8]) -> [UInt8] {
        switch self {
        case .gzip: Self.compress(bytes, windowBits: 15 + 16)
        case .deflate: Self.compress(bytes, windowBits: 15)
        case .lz4: Self.frame(bytes)
        case .zstd: Self.zstd(bytes)
        }
    }

    private static func compress(_ bytes: [UInt8], windowBits: Int32) -> [UInt8] {
        var stream = z_stream()
        var status = deflateInit2_(
            &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY,
            ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        precondition(status == Z_OK)
        defer { deflateEnd(&stream) }
        var input = bytes
        let capacity = Int(deflateBound(&stream, UInt(bytes.count)))
        return [UInt8](unsafeUninitializedCapacity: capacity) { output, count in
            input.withUnsafeMutableBufferPointer { input in
                (stream.next_in, stream.avail_in) = (input.baseAddress, UInt32(input.count))
                (stream.next_out, stream.avail_out) = (output.baseAddress, UInt32(capacity))
                status = CZlib.deflate(&stream, Z_FINISH)
            }
            precondition(status == Z_STREAM_END)
            count = capacity - Int(stream.avail_out)
        }
    }

    private static func zstd(_ bytes: [UInt8]) -> [UInt8] {
        let capacity = ZSTD_compressBound(bytes.count)
        return [UInt8](unsafeUninitializedCapacity: capacity) { output, count in
            count = ZSTD_compress(output.baseAddress, capacity, bytes, bytes.count, 3)
            precondition(ZSTD_isError(count) == 0)
        }
    }

    private static func frame(_ bytes: [UInt8]) -> [UInt8] {
        let capacity = LZ4F_compressFrameBound(bytes.count, nil)
        return [UInt8](unsafeUninitializedCapacity: capacity) { output, count in
            count = LZ4F_compressFrame(output.baseAddress, capacity, bytes, bytes.count, nil)
            precondition(LZ4F_isError(count) == 0)
        }
    }
}
