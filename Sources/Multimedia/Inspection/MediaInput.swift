import CAVFormat
import Glibc

/// A file in memory as libavformat reads it, by calls that come back to us.
///
/// Lives longer than what reads through it; one thread.
final class MediaInput {
    /// Given to one reader; this object frees it.
    let context: UnsafeMutablePointer<AVIOContext>
    private let file: UnsafeRawBufferPointer
    private var position = 0

    private static let bufferBytes = 32 << 10

    /// - Parameter file: stays where it is as long as this object lives.
    /// - Returns: nil without memory.
    init?(_ file: UnsafeRawBufferPointer) {
        self.file = file
        guard let buffer = av_malloc(Self.bufferBytes) else { return nil }
        guard
            let context = avio_alloc_context(
                buffer.assumingMemoryBound(to: UInt8.self), Int32(Self.bufferBytes), 0, nil,
                { input, buffer, count in
                    guard let input, let buffer else { return MediaInput.end }
                    return MediaInput.from(input).read(buffer, Int(count))
                }, nil,
                { input, offset, origin in
                    guard let input else { return -1 }
                    return MediaInput.from(input).seek(offset, origin)
                })
        else {
            av_free(buffer)
            return nil
        }
        self.context = context
        context.pointee.opaque = Unmanaged.passUnretained(self).toOpaque()
    }

    deinit {
        var context: UnsafeMutablePointer<AVIOContext>? = context
        // The library may have put another buffer in the place of the first.
        av_free(self.context.pointee.buffer)
        avio_context_free(&context)
    }

    /// `AVERROR_EOF`, a macro that Swift does not see: minus the letters of `EOF` and a space.
    private static let end: Int32 = -0x2046_4F45

    private static func from(_ pointer: UnsafeMutableRawPointer) -> MediaInput {
        Unmanaged<MediaInput>.fromOpaque(pointer).takeUnretainedValue()
    }

    private func read(_ buffer: UnsafeMutablePointer<UInt8>, _ count: Int) -> Int32 {
        let count = min(count, file.count - position)
        guard count > 0, let start = file.baseAddress else { return Self.end }
        memcpy(buffer, start + position, count)
        position += count
        return Int32(count)
    }

    private func seek(_ offset: Int64, _ origin: Int32) -> Int64 {
        let base: Int
        // Bits above are hints.
        switch origin & 0xFFFF {
        case _ where origin & 0x10000 != 0: return Int64(file.count)
        case SEEK_SET: base = 0
        case SEEK_CUR: base = position
        case SEEK_END: base = file.count
        default: return -1
        }
        let (place, isTooFar) = base.addingReportingOverflow(Int(offset))
        guard !isTooFar, place >= 0 else { return -1 }
        position = place
        return Int64(place)
    }
}
