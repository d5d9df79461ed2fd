import CLZ4
import NIOCore

/// Decompresses LZ4 frames with liblz4. Several frames may follow each other, also skippable ones.
///
/// Memory: two blocks of the size that the frame's header declares, 4 MiB at most. Only the used
/// part is ever touched.
final class LZ4FrameStream: DecompressionStream {
    private let context: OpaquePointer
    /// Bytes of the present frame so far.
    private var frameBytes = 0
    private var hasFrame = false
    /// Bytes that liblz4 asks for next: the rest of a head or of a block. Given no more than that,
    /// it stops at the start of damaged data and buffers nothing.
    private var wantedBytes = LZ4FrameStream.headerBytesMin
    /// Bytes of these that have been given.
    private var givenBytes = 0

    /// The shortest header of a frame.
    private static let headerBytesMin = 7

    init() {
        var context: OpaquePointer?
        let result = LZ4F_createDecompressionContext(&context, UInt32(LZ4F_VERSION))
        guard LZ4F_isError(result) == 0, let context else {
            preconditionFailure("BUG: LZ4F_createDecompressionContext \(result)")
        }
        self.context = context
    }

    deinit {
        LZ4F_freeDecompressionContext(context)
    }

    var isComplete: Bool { hasFrame && frameBytes == 0 }

    func step(
        from input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) -> DecompressionProgress {
        var progress = DecompressionProgress()
        while progress.produced < output.count {
            var consumed = min(wantedBytes, input.count - progress.consumed)
            // Even without input there may be output that did not fit before.
            if consumed == 0 && frameBytes == 0 { break }
            var produced = output.count - progress.produced
            let hint = LZ4F_decompress(
                context, output.baseAddress! + progress.produced, &produced,
                input.baseAddress.map { $0 + progress.consumed }, &consumed, nil)
            guard LZ4F_isError(hint) == 0 else {
                let isNoFrame = hasFrame && frameBytes < Self.headerBytesMin
                progress.consumed -= givenBytes
                return progress.failed(isNoFrame ? .trailingBytes : .corrupt)
            }
            progress.consumed += consumed
            progress.produced += produced
            frameBytes += consumed
            givenBytes = consumed == wantedBytes ? 0 : givenBytes + consumed
            wantedBytes = max(hint, 1)
            if hint == 0 {
                hasFrame = true
                (frameBytes, givenBytes) = (0, 0)
                wantedBytes = Self.headerBytesMin
            }
            if consumed == 0 && produced == 0 { break }
        }
        return progress
    }
}
