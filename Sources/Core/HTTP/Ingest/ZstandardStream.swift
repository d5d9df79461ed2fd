import CZstd

/// Decompresses Zstandard frames with libzstd. Several frames may follow each other, also skippable
/// ones.
///
/// Memory: the window that a frame's header declares, at most 8 MiB (RFC 9659), and two blocks of
/// 128 KiB; only the used part is ever touched. A frame with a larger window is refused, and so is
/// one that needs a dictionary.
final class ZstandardStream: DecompressionStream {
    private let context: OpaquePointer
    /// A frame has begun and not ended.
    private var isInFrame = false
    private var hasFrame = false
    /// Bytes of the present frame so far.
    private var frameBytes = 0
    /// Output may be held back that did not fit.
    private var mayHoldBack = false

    /// The logarithm of the largest window.
    static let windowLog: Int32 = 23

    init() {
        guard let context = ZSTD_createDStream() else {
            preconditionFailure("BUG: ZSTD_createDStream")
        }
        self.context = context
        let result = ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, Self.windowLog)
        precondition(ZSTD_isError(result) == 0, "BUG: ZSTD_d_windowLogMax \(result)")
    }

    deinit {
        ZSTD_freeDStream(context)
    }

    var isComplete: Bool { hasFrame && !isInFrame }

    func step(
        from input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) -> DecompressionProgress {
        var progress = DecompressionProgress()
        while progress.produced < output.count {
            // Even without input there may be output that did not fit before.
            if progress.consumed == input.count && !mayHoldBack { break }
            var source = ZSTD_inBuffer(
                src: input.baseAddress, size: input.count, pos: progress.consumed)
            var target = ZSTD_outBuffer(
                dst: output.baseAddress, size: output.count, pos: progress.produced)
            let hint = ZSTD_decompressStream(context, &target, &source)
            guard ZSTD_isError(hint) == 0 else {
                return failed(progress, ZSTD_getErrorCode(hint))
            }
            let consumed = source.pos - progress.consumed
            let produced = target.pos - progress.produced
            progress.consumed = source.pos
            progress.produced = target.pos
            frameBytes += consumed
            isInFrame = hint != 0
            mayHoldBack = isInFrame && target.pos == output.count
            if hint == 0 {
                hasFrame = true
                frameBytes = 0
            }
            if consumed == 0 && produced == 0 { break }
        }
        return progress
    }

    private func failed(
        _ progress: DecompressionProgress, _ error: ZSTD_ErrorCode
    ) -> DecompressionProgress {
        switch error {
        case ZSTD_error_frameParameter_windowTooLarge:
            return progress.failed(.windowTooLarge(bytesMax: 1 << Int(Self.windowLog)))
        case ZSTD_error_prefix_unknown where hasFrame:
            // What was taken for the head of a further frame is none.
            var progress = progress
            progress.consumed -= frameBytes
            return progress.failed(.trailingBytes)
        default:
            return progress.failed(.corrupt)
        }
    }
}
