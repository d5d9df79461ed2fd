internal import CLZ4
internal import Glibc

/// Compresses a payload to one LZ4 frame, and back, with liblz4's fast level.
///
/// LZ4's own checksums are off: the record's header has a checksum of the frame.
enum PayloadCodec {
    private static var preferences: LZ4F_preferences_t {
        var preferences = LZ4F_preferences_t()
        preferences.frameInfo.blockSizeID = LZ4F_max4MB
        preferences.frameInfo.blockMode = LZ4F_blockIndependent
        return preferences
    }

    /// The most bytes that the frame of a payload can need.
    static func frameBytesMax(payloadBytes: Int) -> Int {
        var preferences = preferences
        return LZ4F_compressFrameBound(payloadBytes, &preferences)
    }

    /// Compresses a payload and returns the frame's size in bytes.
    ///
    /// - Parameter output: at least ``frameBytesMax(payloadBytes:)`` bytes.
    static func compress(
        _ payload: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) -> Int {
        var preferences = preferences
        let count = LZ4F_compressFrame(
            output.baseAddress, output.count, payload.baseAddress, payload.count, &preferences)
        precondition(LZ4F_isError(count) == 0, "BUG: LZ4F_compressFrame \(count)")
        return count
    }

    /// nil unless `frame` is exactly one frame of exactly `payloadBytes` bytes.
    static func decompress(_ frame: UnsafeRawBufferPointer, payloadBytes: Int) -> [UInt8]? {
        var context: OpaquePointer?
        guard LZ4F_isError(LZ4F_createDecompressionContext(&context, UInt32(LZ4F_VERSION))) == 0,
            let context
        else { preconditionFailure("BUG: LZ4F_createDecompressionContext") }
        defer { LZ4F_freeDecompressionContext(context) }
        var isWhole = false
        let payload = [UInt8](unsafeUninitializedCapacity: payloadBytes) { output, count in
            // One more byte detects a frame that holds more than it should.
            var spare: UInt8 = 0
            var read = 0
            while true {
                var consumed = frame.count - read
                var produced = payloadBytes - count
                let hint: Int
                if produced > 0, let start = output.baseAddress {
                    hint = LZ4F_decompress(
                        context, start + count, &produced, frame.baseAddress.map { $0 + read },
                        &consumed, nil)
                    count += LZ4F_isError(hint) == 0 ? produced : 0
                } else {
                    produced = 1
                    hint = LZ4F_decompress(
                        context, &spare, &produced, frame.baseAddress.map { $0 + read },
                        &consumed, nil)
                    if produced > 0 { return }
                }
                if LZ4F_isError(hint) != 0 { return }
                read += consumed
                if hint == 0 {
                    isWhole = read == frame.count && count == payloadBytes
                    return
                }
                if consumed == 0 && produced == 0 { return }
            }
        }
        return isWhole ? payload : nil
    }
}
