import CAVFormat
import Glibc
import MediaStorage

/// A staged file as libavformat reads it, by calls that come back to us.
///
/// Lives longer than what reads through it; one thread.
final class MediaInput {
    /// Given to one reader; this object frees it.
    let context: UnsafeMutablePointer<AVIOContext>
    private let file: StagedMedia
    private var position = 0
    private var bytesLeft: Int
    private let deadline = ContinuousClock.now + MediaInput.timeMax

    private static let bufferBytes = 32 << 10
    /// A header takes milliseconds.
    private static let timeMax: Duration = .seconds(5)

    /// - Returns: nil without memory.
    init?(_ file: StagedMedia) {
        self.file = file
        // Every byte once, and as much again for going back and forth.
        bytesLeft = 2 * file.bytes + (1 << 20)
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

    /// Asked by the library wherever it may wait.
    var interruption: AVIOInterruptCB {
        AVIOInterruptCB(
            callback: { input in
                guard let input else { return 1 }
                return MediaInput.from(input).isOver ? 1 : 0
            }, opaque: Unmanaged.passUnretained(self).toOpaque())
    }

    /// `AVERROR_EOF`, a macro that Swift does not see: minus the letters of `EOF` and a space.
    private static let end: Int32 = -0x2046_4F45

    private static func from(_ pointer: UnsafeMutableRawPointer) -> MediaInput {
        Unmanaged<MediaInput>.fromOpaque(pointer).takeUnretainedValue()
    }

    private var isOver: Bool { bytesLeft <= 0 || ContinuousClock.now > deadline }

    private func read(_ buffer: UnsafeMutablePointer<UInt8>, _ count: Int) -> Int32 {
        guard !isOver, count > 0 else { return Self.end }
        let target = UnsafeMutableRawBufferPointer(start: buffer, count: count)
        guard let read = try? file.read(at: position, into: target), read > 0 else {
            return Self.end
        }
        position += read
        bytesLeft -= read
        return Int32(read)
    }

    private func seek(_ offset: Int64, _ origin: Int32) -> Int64 {
        // Bits above are hints.
        switch origin & 0xFFFF {
        case _ where origin & 0x10000 != 0: return Int64(file.bytes)
        case SEEK_SET where offset >= 0: position = Int(offset)
        case SEEK_CUR where Int64(position) + offset >= 0: position += Int(offset)
        case SEEK_END where Int64(file.bytes) + offset >= 0: position = file.bytes + Int(offset)
        default: return -1
        }
        return Int64(position)
    }
}
